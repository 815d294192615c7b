// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schema of rules in XML: what is written and what is shown is valid, and what is refused for its shape is not.
//! `xmllint` judges; `make tools` installs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns true for each text that is valid.
fn valid(name: &str, texts: &[String]) -> Vec<bool> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("the folder for tests can be written");
    let schema = root().join("docs/schema/rules.xsd");
    let mut command = Command::new("xmllint");
    command.arg("--noout").arg("--nonet").arg("--schema").arg(&schema);
    let paths: Vec<PathBuf> = (0..texts.len()).map(|index| folder.join(format!("{index}.xml"))).collect();
    for (path, text) in paths.iter().zip(texts) {
        fs::write(path, text).expect("the folder for tests can be written");
    }
    let output = command
        .args(&paths)
        .output()
        .unwrap_or_else(|error| panic!("xmllint cannot be run ({error}): install libxml2-utils, or run `make tools`"));
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(messages.lines().count() >= texts.len(), "{messages}");
    paths.iter().map(|path| messages.contains(&format!("{} validates", path.display()))).collect()
}

/// The blocks of a page with this label.
fn blocks(page: &str, label: &str) -> Vec<String> {
    let opening = format!("```{label}\n");
    page.split(&opening).skip(1).map(|rest| rest[..rest.find("```").unwrap_or(rest.len())].to_owned()).collect()
}

#[test]
fn the_examples_are_valid() {
    let mut texts = blocks(&fs::read_to_string(root().join("docs/rules-xml.md")).unwrap(), "xml");
    assert!(texts.len() >= 3, "{}", texts.len());
    texts.push(fs::read_to_string(root().join("examples/rules-xml/shop.xml")).unwrap());
    for (text, valid) in texts.iter().zip(valid("examples", &texts)) {
        assert!(valid, "{text}");
    }
}

#[test]
fn what_is_written_is_valid() {
    let sources = [
        "nomad p { P(start(a) | O[0,1] done(b)) }",
        "time t in ms\nevent a(x, y) = b[c/0 as x, d > 1, !(e = \"1\")] | f from g to $h
         nomad p \"A <title> & \\\"more\\\"\\n\" (matching any, strict-end, critical, severity low) {
           F(start(a(1, _)) || done(a(\"1\", null)[k = true || l != 0.5 && @hour >= 22 && @weekday != \"Sat\"]) | O[1.5ms,inf] (done(b) && (done(!c) || done(d))))
             / {{a.x, b.\"odd name\"/0/@id}, {c.\"x:y\", d.z}}
         }
         nomad q { P(start(a) | O[3h,20m] done(!b)) }",
        "event a\n",
    ];
    let texts = sources.map(|source| {
        let (spec, wrong) = gnomon_lang::parse(source);
        assert!(wrong.is_empty(), "{wrong:?}");
        gnomon_lang::rules::print(&spec, &spec.properties.iter().collect::<Vec<_>>()).unwrap()
    });
    for (text, valid) in texts.iter().zip(valid("written", &texts)) {
        assert!(valid, "{text}");
    }
}

#[test]
fn the_schema_and_the_reader_refuse_the_same() {
    const GOOD: &str = r#"<rules xmlns="urn:gnomon:rules:1">
<rule id="p" verdict="true" matching="any">
<supposition><message name="a"/></supposition>
<window from="0" to="10" unit="s"/>
<context><and><message name="b" phase="done"/><not><message name="c"/></not></and></context>
<correlation><query message="a">id</query><query message="b">id</query></correlation>
</rule>
</rules>"#;
    let broken = [
        (r#"verdict="true""#, r#"verdict="maybe""#),
        (r#"verdict="true" "#, ""),
        (r#"id="p" "#, ""),
        (r#"matching="any""#, r#"matching="all""#),
        (r#"matching="any""#, r#"matchng="any""#),
        (r#"phase="done""#, r#"phase="end""#),
        (r#"unit="s""#, r#"unit="sec""#),
        (r#"from="0""#, r#"from="-1""#),
        (r#"to="10""#, r#"to="soon""#),
        (r#" to="10""#, ""),
        (r#"<window from="0" to="10" unit="s"/>"#, ""),
        (r#"<supposition><message name="a"/></supposition>"#, "<supposition/>"),
        (r#"<not><message name="c"/></not>"#, r#"<not><and><message name="c"/></and></not>"#),
        (r#"<message name="c"/>"#, "<message/>"),
        (r#"<query message="a">id</query>"#, "<query>id</query>"),
        (r#"<query message="a">id</query>"#, r#"<query message="a"></query>"#),
        ("<correlation>", "<correlation>text"),
        ("<and>", "<nand>"),
        ("urn:gnomon:rules:1", "urn:gnomon:rules:0"),
    ];
    let mut texts = vec![GOOD.to_owned()];
    texts.extend(broken.iter().map(|(part, instead)| {
        assert!(GOOD.contains(part), "{part}");
        GOOD.replace(part, instead).replace("</and>", if *instead == "<nand>" { "</nand>" } else { "</and>" })
    }));
    let judged = valid("broken", &texts);
    for (index, (text, valid)) in texts.iter().zip(judged).enumerate() {
        let (_, found) = gnomon_lang::parse(text);
        assert_eq!((valid, found.is_empty()), (index == 0, index == 0), "{text}: {found:?}");
    }
}
