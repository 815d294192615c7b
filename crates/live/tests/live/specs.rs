// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replacing the spec while the watch runs.

use gnomon_live::{Live, Options};

use crate::support::{StoreFolder, options, properties, send};

const FIRST: &str = "time in s
soloist answered { G(ask -> F[0,5] answer) }
mtl quiet { G !alarm }
";

const SECOND: &str = "time in s
# said otherwise, and in another place
mtl quiet { G (!(alarm)) }
mtl calm { G !shout }
soloist answered { G(ask -> F[0,5]   answer) }
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_means_the_same_keeps_its_state() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("s.rv", FIRST) };
    let (live, _) = Live::open(own.clone()).unwrap();
    let names = ["hello", "ask", "alarm", "shout"];
    let lines = names.iter().enumerate().map(|(time, name)| format!("{{\"event\":\"{name}\",\"time\":{time}}}\n"));
    send(&live, lines.collect::<String>()).await.unwrap();
    assert!(live.replace_spec("soloist bad { G( }".to_owned()).await.unwrap().is_err());
    let change = live.replace_spec(SECOND.to_owned()).await.unwrap().unwrap();
    assert_eq!((change.revision, change.begun, change.ended), (2, vec!["calm".to_owned()], vec![]));
    assert_eq!(change.kept.len(), 2);
    let check = |report: String| {
        let found = properties(&report);
        let counts = |index: usize| {
            let property = &found[1][index];
            (property["name"].as_str().unwrap().to_owned(), property["violated"].clone(), property["activated"].clone())
        };
        assert_eq!(counts(0).0, "quiet");
        assert_eq!(counts(0).1, 1);
        assert_eq!((counts(1).0.as_str(), counts(1).1.as_u64()), ("calm", Some(1)));
        assert_eq!((counts(2).0.as_str(), counts(2).1.as_u64(), counts(2).2.as_u64()), ("answered", Some(1), Some(1)));
        // Each property is reported with the text that it began with.
        let published_violations = |index: usize| {
            let violation = &found[1][index]["violations"][0];
            (violation["at"]["event"].as_str().unwrap().to_owned(), violation["failed"].as_str().unwrap().to_owned())
        };
        let own = |event: &str, failed: &str| (event.to_owned(), failed.to_owned());
        assert_eq!(
            [published_violations(0), published_violations(1)],
            [own("alarm", "!alarm"), own("shout", "!shout")]
        );
        assert_eq!(published_violations(2), own("ask", "F[0,5] answer"));
    };
    send(&live, "{\"event\":\"shout\",\"time\":9}\n{\"event\":\"end\",\"time\":10}\n").await.unwrap();
    check(live.report(false).await);
    live.close();
    drop(live);
    // The watch continues with the given spec, which is the old one again: properties that were removed are gone.
    let (live, _) = Live::open(Options { spec_text: SECOND.to_owned(), ..own }).unwrap();
    check(live.report(false).await);
    live.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_is_tried_on_the_last_events() {
    let (live, _) = Live::open(options("s.rv", FIRST)).unwrap();
    send(&live, "{\"event\":\"ask\",\"time\":1}\n{\"event\":\"alarm\",\"time\":2,\"who\":\"ann\"}\n").await.unwrap();
    live.report(false).await;
    let run = live.dry_run("mtl calm { G !alarm }");
    let properties: serde_json::Value = serde_json::from_str(&run.properties.unwrap()).unwrap();
    assert_eq!((run.events, properties[0]["violated"].as_u64()), (2, Some(1)));
    let run = live.dry_run("soloist calm { G(!alarm }");
    assert!(run.properties.is_none() && !run.diagnostics.is_empty());
    let known = live.catalogue();
    let alarm = known.iter().find(|event| event.name == "alarm").unwrap();
    assert_eq!((alarm.count, alarm.declared, alarm.fields.as_slice()), (1, true, &["who".to_owned()][..]));
    live.close();
}
