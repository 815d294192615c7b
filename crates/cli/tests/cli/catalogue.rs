// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptions of services: `gnomon events` declares their messages, `--catalogue` holds a spec against them.

use std::fs;

use serde_json::{Value, json};

use crate::support::{TestFolder, fenced, root};

fn sample(name: &str) -> String {
    root().join("examples/catalogue").join(name).display().to_string()
}

#[test]
fn declarations_make_a_spec() {
    for (name, kind) in [
        ("product-retriever.wsdl", "5 messages (WSDL)"),
        ("currency-exchange.yaml", "6 messages (OpenAPI)"),
        ("purchases.yaml", "4 messages (AsyncAPI)"),
        ("deliveries.yaml", "3 messages (AsyncAPI)"),
        ("product-retriever.bpel", "11 messages (BPEL)"),
    ] {
        let folder = TestFolder::with(&[("day.csv", "event, time\na, 1\n")]);
        let output = folder.run(&["events", &sample(name)]);
        assert_eq!(output.status, 0, "{name}: {}", output.stderr);
        assert!(output.stdout.starts_with(&format!("# {name}: {kind}\n")), "{}", output.stdout);
        folder.write("made.rv", format!("{}\nsoloist calm {{ G(!alarm) }}\n", output.stdout).as_bytes());
        let judged = folder.run(&["check", "made.rv", "day.csv"]);
        assert_eq!((judged.status, judged.stderr.as_str()), (0, ""), "{name}");
        // A description is recognised by its content alone, wherever it comes from.
        let text = fs::read(sample(name)).unwrap();
        let piped = folder.run_with_input(&["events", "-"], &text);
        assert_eq!(piped.stdout.lines().skip(1).collect::<Vec<_>>(), output.stdout.lines().skip(1).collect::<Vec<_>>());
    }
}

#[test]
fn skipped_parts_are_reported() {
    let output = TestFolder::with(&[]).run(&["events", &sample("product-retriever.bpel")]);
    assert_eq!(output.stderr.lines().count(), 2, "{}", output.stderr);
    let note = ":34:11: `itemSearch` has other participants here than before: they are left out";
    assert!(output.stderr.starts_with("note: ") && output.stderr.contains(note), "{}", output.stderr);
    let folder = TestFolder::with(&[("empty.yaml", "openapi: 3.0.0\npaths: {}\n")]);
    let output = folder.run(&["events", "empty.yaml"]);
    assert_eq!((output.status, output.stdout.as_str()), (0, "# empty.yaml: 0 messages (OpenAPI)\n"));
    assert_eq!(output.stderr, "note: empty.yaml: no message is described\n");
}

#[test]
fn programs_get_the_same_as_data() {
    let output = TestFolder::with(&[]).run(&["events", &sample("product-retriever.wsdl"), "--report", "json"]);
    let list: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((&list["source"], &list["kind"]), (&json!("product-retriever.wsdl"), &json!("WSDL")));
    assert_eq!(
        list["events"][2],
        json!({
            "name": "ProductFault", "declaration": "event ProductFault(reason) from ProductRetriever to client",
            "participants": {"from": "ProductRetriever", "to": "client"}, "text": null, "line": 84,
            "fields": [{"name": "reason", "path": ["reason"], "type": "text", "required": true}],
        })
    );
    assert_eq!(
        list["events"][3]["fields"][3],
        json!({"name": "total", "path": ["total", "#text"], "type": "number", "required": true})
    );
    assert_eq!(list["notes"], json!([]));
}

#[test]
fn the_page_about_catalogues_is_accurate() {
    let page = fs::read_to_string(root().join("docs/catalogue.md")).unwrap();
    let output = TestFolder::with(&[]).run(&["events", &sample("purchases.yaml")]);
    assert_eq!((output.status, &output.stdout), (0, &fenced(&page, "rv")[0]));
    let folder = TestFolder::with(&[
        ("session.rv", &fenced(&page, "rv")[1]),
        ("service.yaml", &fenced(&page, "yaml")[0]),
        ("day.csv", "event, time\nlogout, 1\n"),
    ]);
    let warning = &fenced(&page, "text")[0];
    for arguments in [
        &["check", "session.rv", "day.csv", "--catalogue", "service.yaml"][..],
        &["test", "session.rv", "--catalogue", "service.yaml"],
        &["translate", "session.rv", "--to", "ltl", "--catalogue", "service.yaml"],
    ] {
        let output = folder.run(arguments);
        assert_eq!(output.status, 0, "{arguments:?}: {}", output.stderr);
        assert!(output.stderr.starts_with(warning.as_str()), "{arguments:?}: {}", output.stderr);
        // `bye` is like nothing that is known.
        assert!(output.stderr.contains("warning[G0730]: no message `bye`\n"), "{}", output.stderr);
    }
    assert_eq!(folder.run(&["check", "session.rv", "day.csv"]).stderr, "");
}

#[test]
fn several_catalogues_and_declarations_add_up() {
    let spec = "\
event known = whatever
mtl a { G(GetProductRequest -> F[0,9] known) }
mtl b { G(PriceChanged -> F[0,9] whatever) }
qea(c) { accept skip(s) { GetProduct -> s } }
nomad d { P(start(logout) | O[0,9] done(GetProduct)) }
";
    let api = "openapi: 3.0.0\npaths: {/s: {delete: {operationId: logoutReq}}}\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("session.yaml", api), ("day.csv", "event, time\n")]);
    let (wsdl, purchases) = (sample("product-retriever.wsdl"), sample("purchases.yaml"));
    let catalogues = ["--catalogue", &wsdl, "--catalogue", &purchases, "--catalogue", "session.yaml"];
    let output = folder.run(&[&["check", "rules.rv", "day.csv"][..], &catalogues].concat());
    assert_eq!(output.status, 0);
    let warnings: Vec<&str> = output.stderr.lines().filter(|line| line.starts_with("warning")).collect();
    assert_eq!(
        warnings,
        [
            "warning[G0730]: no message `GetProduct`; did you mean `GetProductRequest`?",
            "warning[G0730]: no message `logout`; did you mean `logoutReq`?",
        ],
        "{}",
        output.stderr
    );
    assert!(output.stderr.contains(" --> rules.rv:4:27\n") && output.stderr.contains(" --> rules.rv:5:19\n"));
}

/// Declarations are a catalogue too, where their names are near.
#[test]
fn declared_names_are_suggested_without_a_catalogue() {
    let spec = "event logoutReq(sid)\nmtl a { G(logout -> F[0,9] bye) }\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", "event, time\n")]);
    let output = folder.run(&["check", "rules.rv", "day.csv"]);
    assert!(
        output.stderr.starts_with("warning[G0203]: `logout` is not declared, but `logoutReq` is\n"),
        "{}",
        output.stderr
    );
}

#[test]
fn descriptions_that_cannot_be_read() {
    let folder = TestFolder::with(&[
        ("rules.rv", "soloist any { G(true) }\n"),
        ("day.csv", "event, time\n"),
        ("old.yaml", "swagger: '2.0'\n"),
        ("broken.wsdl", "<definitions xmlns=\"http://schemas.xmlsoap.org/wsdl/\">\n  <types>\n</definitions>"),
    ]);
    folder.write("latin.wsdl", b"<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'>\xe9</definitions>");
    for (arguments, expected) in [
        (
            &["check", "rules.rv", "day.csv", "--catalogue", "day.csv"][..],
            "error[G0725]: this document describes no messages\n --> day.csv:1:1\n  \
             = help: WSDL 1.1, OpenAPI 3, AsyncAPI 2 and 3 and BPEL 2.0 are read\n",
        ),
        (
            &["test", "rules.rv", "--catalogue", "old.yaml"],
            "error[G0725]: this is Swagger 2, which came before OpenAPI\n --> old.yaml:1:10\n  \
             = help: convert it to OpenAPI 3; editors for OpenAPI can do this\n",
        ),
        (&["events", "broken.wsdl"], "error[G0520]: `</definitions>` is inside `<types>`\n --> broken.wsdl:3:1\n"),
        (
            &["translate", "rules.rv", "--to", "ltl", "--catalogue", "nowhere-to-be-found"],
            "error[G0701]: there is no file `nowhere-to-be-found`\n  = help: check the name, and the folder you are in\n",
        ),
        (
            &["check", "-", "day.csv", "--catalogue", "-"],
            "error[G0706]: standard input (`-`) is given more than once\n  = help: name it once, and give the others as files\n",
        ),
    ] {
        let output = folder.run(arguments);
        assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (2, "", expected), "{arguments:?}");
    }
    // Whoever names a format means a trace.
    let output = folder.run(&["events", "old.yaml", "--format", "csv"]);
    assert!(output.stderr.starts_with("error[G0503]: "), "{}", output.stderr);
    let output = folder.run(&["check", "rules.rv", "day.csv", "--catalogue", "latin.wsdl"]);
    assert!(
        output.stderr.starts_with("error[G0704]: the description is not UTF-8 text: byte 0xe9"),
        "{}",
        output.stderr
    );
}
