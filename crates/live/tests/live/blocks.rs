// SPDX-License-Identifier: MIT OR Apache-2.0
//! A critical violation blocks its session until someone unblocks it.

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_live::wire::Block;
use gnomon_live::{BlockBy, Live, NewEvent, Options, TimeSource};

use crate::support::StoreFolder;

const SPEC: &str = "mtl paid (critical) { forall order. G(ship(order) -> P pay(order)) }\n";

fn message(name: &str, order: &str) -> NewEvent {
    let fields = vec![("order".to_owned(), Value::Text(order.to_owned().into()))];
    NewEvent { name: name.to_owned(), time: None, fields }
}

/// Returns the block of a message's session, whether it existed before or the message caused it.
async fn stopped(live: &Live, message: NewEvent) -> Option<Block> {
    live.tap(message).await.unwrap().1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_stopped_and_released() {
    let folder = StoreFolder::new();
    let own = Options {
        store: Some(folder.path().to_owned()),
        time: TimeSource::Arrival,
        block_by: BlockBy::Field("order".to_owned()),
        ..Options::new("paid.rv", SPEC)
    };
    let (live, _) = Live::open(own.clone()).unwrap();
    assert_eq!(stopped(&live, message("pay", "a")).await, None);
    assert_eq!(stopped(&live, message("ship", "a")).await, None);
    let block = stopped(&live, message("ship", "b")).await.expect("not paid");
    assert_eq!((block.property.as_str(), block.key.as_deref(), block.number), ("paid", Some("b"), 1));
    assert_eq!(stopped(&live, message("pay", "b")).await.map(|block| block.id), Some(block.id));
    assert_eq!(stopped(&live, message("pay", "c")).await, None);
    live.close();
    drop(live);

    let (live, _) = Live::open(own).unwrap();
    assert_eq!(live.blocks().len(), 1);
    assert_eq!(live.release(block.id + 1).await, Ok(false));
    assert_eq!(live.release(block.id).await, Ok(true));
    assert_eq!(stopped(&live, message("pay", "b")).await, None);
    assert_eq!(stopped(&live, message("ship", "b")).await, None);
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sessions_of_cases_are_stopped_however_their_values_are_written() {
    let spec = "mtl paid (critical) { G(ship -> P pay) }\n";
    let text = |text: &'static str| Value::Text(text.into());
    let number = Value::Number(Number::Int(7));
    let user = |value: Value<'static>| ("user".to_owned(), Value::Map(vec![("id".into(), value)]));
    let order = |value: Value<'static>| ("order".to_owned(), value);
    // A case whose name is a text of digits, a number, a path: each with the ways to write it.
    let sessions = [
        ("order", "7", vec![order(text("7")), order(number.clone())]),
        ("order", "7", vec![order(number), order(text("7"))]),
        ("order", "true", vec![order(text("true"))]),
        ("user/id", "ann", vec![user(text("ann"))]),
    ];
    for (by, key, fields) in sessions {
        let own = Options { by: Some(by.to_owned()), time: TimeSource::Arrival, ..Options::new("paid.rv", spec) };
        let (live, _) = Live::open(own).unwrap();
        let message = |name: &str, field: &(String, Value<'static>)| NewEvent {
            name: name.to_owned(),
            time: None,
            fields: vec![field.clone()],
        };
        let block = stopped(&live, message("ship", &fields[0])).await.expect("not paid");
        assert_eq!(block.key.as_deref(), Some(key), "{by}");
        for field in &fields {
            assert_eq!(stopped(&live, message("pay", field)).await.map(|block| block.id), Some(1), "{field:?}");
        }
        for other in [order(text("8")), user(text("bob"))] {
            assert_eq!(stopped(&live, message("pay", &other)).await, None, "{other:?}");
        }
        live.close();
    }
}
