// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replacing the spec while the watch runs.

use gnomon_live::{Live, Options, SpecFrom};

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_with_another_spec_needs_a_decision() {
    let folder = StoreFolder::new();
    let own = Options { store: Some(folder.path().to_owned()), ..options("s.rv", FIRST) };
    let (live, _) = Live::open(own.clone()).unwrap();
    // As saved on the dashboard.
    live.replace_spec(SECOND.to_owned()).await.unwrap().unwrap();
    live.close();
    drop(live);
    let error = Live::open(own.clone()).err().unwrap().to_string();
    assert!(
        error.contains("s.rv differs from revision 2 of the spec, which the store has: only in the store: `calm`"),
        "{error}"
    );
    assert!(error.contains("--spec-from file") && error.contains("--spec-from store"), "{error}");
    let with = |from| Options { spec_from: Some(from), ..own.clone() };
    let revision = |options: Options| {
        let (live, _) = Live::open(options).unwrap();
        let (_, text, revision) = live.spec();
        live.close();
        (text, revision)
    };
    assert_eq!(revision(with(SpecFrom::Store)), (SECOND.to_owned(), 2));
    assert_eq!(revision(with(SpecFrom::File)), (FIRST.to_owned(), 3));
    assert_eq!(revision(own.clone()), (FIRST.to_owned(), 3), "the file is the last revision now");
    let reformatted = Options { spec_text: FIRST.replace("G !alarm", "G  !alarm"), ..own };
    let error = Live::open(reformatted).err().unwrap().to_string();
    assert!(error.contains("no property has another meaning"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn specs_of_clients_have_limits() {
    let (live, _) = Live::open(options("s.rv", FIRST)).unwrap();
    let event = |id: usize| format!("{{\"event\":\"e\",\"time\":{id},\"a\":{id},\"b\":{}}}\n", id % 7);
    send(&live, (0..500).map(event).collect::<String>()).await.unwrap();
    live.report(false).await;
    let code = |text: &str| live.dry_run(text).diagnostics.last().map(|one| one.code);
    assert_eq!(code(&"# long\n".repeat(600_000)), Some("G0715"));
    let many: String = (0..1001).map(|number| format!("mtl p{number} {{ G !a }}\n")).collect();
    assert_eq!(code(&many), Some("G0716"));
    let parts = (0..4000).map(|number| format!("a{number}")).collect::<Vec<_>>().join(" || F ");
    let large: String = (0..20).map(|number| format!("mtl p{number} {{ G(b -> F {parts}) }}\n")).collect();
    assert!(matches!(code(&large), Some("G0716" | "G0717")), "{:?}", code(&large));
    // Whatever the number of bindings, a dry run ends.
    let begun = std::time::Instant::now();
    live.dry_run("mtl p { forall x, y, z. G(e(x, _) && F(e(y, _) && F e(z, _)) -> F e(z, y)) }");
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    assert!(live.replace_spec(many).await.unwrap().is_err());
    live.close();
}
