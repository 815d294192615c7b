// SPDX-License-Identifier: MIT OR Apache-2.0
//! A critical violation blocks its session until someone unblocks it.

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
