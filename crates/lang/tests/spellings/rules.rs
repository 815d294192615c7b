// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules in XML and in the language: both are read to the same, and what is written is read back.

use gnomon_ir::check::check;
use gnomon_ir::core::Core;
use gnomon_ir::spec::{EventDeclaration, Spec};
use gnomon_lang::{nomad, parse, rules};

use crate::forget;
use crate::nomad::generated;
use crate::random::{FormulaGenerator, SOLOIST};

fn read(source: &str) -> Spec {
    let (spec, diagnostics) = parse(source);
    assert!(diagnostics.is_empty(), "{source}: {diagnostics:?}");
    spec
}

/// The kernel forms of all properties, without their places.
fn cores(spec: &Spec) -> Vec<Core> {
    let mut spec = spec.clone();
    forget_spec(&mut spec);
    let checked = spec.properties.iter().map(|property| check(&spec, property));
    checked.map(|(core, found)| core.unwrap_or_else(|| panic!("{found:?}"))).collect()
}

fn forget_spec(spec: &mut Spec) {
    spec.time.span = None;
    for EventDeclaration { name_span, alternatives, .. } in &mut spec.events {
        *name_span = gnomon_core::diagnostic::Span::default();
        for alternative in alternatives {
            alternative.span = *name_span;
        }
    }
    spec.properties.iter_mut().for_each(forget::forget_property);
}

const PAIRS: &[(&str, &str)] = &[
    (
        r#"nomad account "Log in first" (matching any, strict-end, critical, severity high) {
          P(start(createAccountReq) | O[1,0]D (done(loginRes) && done(!logoutReq)))
            / {{createAccountReq.sid, loginRes.session/@id, logoutReq."a:b"/0}}
        }"#,
        r#"<?xml version="1.0"?>
        <rules xmlns="urn:gnomon:rules:1">
          <rule id="account" verdict="true" title="Log in first" matching="any" strict-end="true" critical="1" severity="high">
            <supposition><message name="createAccountReq"/></supposition>
            <window from="1" to="0" unit="D"/>
            <context>
              <and><message name="loginRes"/><not><message name="logoutReq"/></not></and>
            </context>
            <correlation>
              <query message="createAccountReq">/createAccountReq/sid/text()</query>
              <query message="loginRes"> /s:Envelope/s:Body/x:loginRes/x:session/@id </query>
              <query message="logoutReq"><![CDATA["a:b"[1]]]></query>
            </correlation>
          </rule>
        </rules>"#,
    ),
    (
        r#"time Timestamp in ms
        event pay(user, sum) = payment[uid as user, total/net as sum, state != "draft"] | cash from client to $bank
        nomad p { F(done(pay("1", _)) || start(b[x >= 2 && (y = null || !(z = true))]) | O[inf,2.5s] (done(c) || done(d) && start(e))) }
        nomad q { P(start(a) | O[0,1] done(b["1" = 3])) / {{a.id, b.id}, {a.k, b.k}} }"#,
        r##"<!-- rules --><r:rules xmlns:r='urn:gnomon:rules:1' xmlns:xsi="u" xsi:schemaLocation="x y">
          <r:time field="Timestamp" unit="ms"/>
          <r:event name="pay" from="client" to="$bank">
            <r:parameter name="user"/><r:parameter name="sum"/>
            <r:message name="payment">
              <r:field query="uid" as="user"/><r:field query="#/total/net" as="sum"/>
              <r:condition query="state" is="not-equal" value="draft"/>
            </r:message>
            <r:message name="cash"></r:message>
          </r:event>
          <r:rule id="p" verdict="false">
            <r:supposition>
              <r:or>
                <r:message name="pay" phase="done">
                  <r:arguments><r:argument value="1" type="text"/><r:argument/></r:arguments>
                </r:message>
                <r:message name="b">
                  <r:condition query="x" is="&gt;=" value="2"/>
                  <r:or><r:condition query="y" type="null"/><r:not><r:condition query="z" value="true"/></r:not></r:or>
                </r:message>
              </r:or>
            </r:supposition>
            <r:window from="inf" to="2.5s"/>
            <r:context>
              <r:or>
                <r:message name="c"/>
                <r:and><r:message name="d"/><r:message name="e" phase="start"/></r:and>
              </r:or>
            </r:context>
          </r:rule>
          <r:rule id="q" verdict="true">
            <r:supposition><r:message name="a"/></r:supposition>
            <r:window from="0" to="1"/>
            <r:context><r:message name="b"><r:condition query='"1"' is="=" value="3" type="number"/></r:message></r:context>
            <r:correlation><r:query message="a">id</r:query><r:query message="b">./id</r:query></r:correlation>
            <r:correlation><r:query message="a">k</r:query><r:query message="b">k</r:query></r:correlation>
          </r:rule>
        </r:rules>"##,
    ),
];

#[test]
fn both_forms_are_the_same_rule() {
    for (text, xml) in PAIRS {
        let (mut text, mut xml) = (read(text), read(xml));
        assert_eq!(cores(&text), cores(&xml));
        forget_spec(&mut text);
        forget_spec(&mut xml);
        assert_eq!(text, xml);
    }
}

#[test]
fn both_forms_are_written_and_read_back() {
    for (text, xml) in PAIRS {
        for source in [text, xml] {
            let mut spec = read(source);
            let properties: Vec<_> = spec.properties.iter().collect();
            let mut as_xml = read(&rules::print(&spec, &properties).unwrap());
            let mut as_text = read(&nomad::print_spec(&spec, &properties));
            forget_spec(&mut spec);
            forget_spec(&mut as_xml);
            forget_spec(&mut as_text);
            assert_eq!(as_xml, spec, "{source}");
            assert_eq!(as_text, spec, "{source}");
        }
    }
}

#[test]
fn writing_and_reading_are_inverse() {
    let mut random = FormulaGenerator::new(SOLOIST);
    for case in 0..2_000 {
        let property = generated(&mut random);
        let spec = Spec { properties: vec![property], ..Spec::default() };
        let written = rules::print(&spec, &[&spec.properties[0]]).unwrap();
        let (mut read, diagnostics) = parse(&written);
        // Two infinite bounds are refused here already.
        if written.contains("from=\"inf\" to=\"inf\"") {
            assert!(diagnostics.iter().any(|found| found.code == "G0320"), "{written}");
            continue;
        }
        assert!(diagnostics.iter().all(|found| found.code == "G0203"), "case {case}: {written}: {diagnostics:?}");
        forget::forget_property(&mut read.properties[0]);
        assert_eq!(read.properties, spec.properties, "case {case}: {written}");
    }
}

#[test]
fn only_what_the_rules_need_is_written() {
    let spec = read(
        "time in s\nevent a = x[k = 1]\nevent unused = y\nevent other = z
        nomad p { P(start(a) | O[0,1] done(b)) / {{a.id, other.id, b.id}} }\nsoloist q { G(unused) }",
    );
    let properties: Vec<_> = spec.properties.iter().collect();
    let written = rules::print(&spec, &properties).unwrap();
    assert!(written.contains("<time unit=\"s\"/>") && written.contains("<event name=\"a\">"), "{written}");
    assert!(written.contains("<event name=\"other\">"), "{written}");
    assert!(!written.contains("unused") && !written.contains("\"q\""), "{written}");
}

#[test]
fn characters_that_xml_cannot_contain_are_reported() {
    let spec = read("nomad p { P(start(\"a\\u0001\") | O[0,1] done(b)) }");
    let wrong = rules::print(&spec, &[&spec.properties[0]]).unwrap_err();
    assert_eq!((wrong.character, wrong.span), ('\u{1}', spec.properties[0].name_span));
    assert_eq!(wrong.to_string(), "XML has no character U+0001");
}
