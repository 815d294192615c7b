// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes in rules that are written in XML.

use crate::{edited, found, shown};

#[test]
fn mistakes_in_files_of_rules() {
    for (source, expected) in [
        ("<log></log>", "G0124@1-4"),
        (r#"<rule id="p"></rule>"#, "G0124@1-5"),
        (r#"<rules xmlns="urn:other"/>"#, "G0124@14-23"),
        ("<rules", "G0123@1-6"),
        ("<rules>", "G0123@0-7"),
        ("<rules></rule>", "G0123@9-13"),
        (r#"<rules><rule id=p verdict="true"/></rules>"#, "G0123@16-17"),
        (r#"<rules><rule id="p" verdict="true" id="q"/></rules>"#, "G0123@35-37"),
        (r#"<rules><rule id="p></rules>"#, "G0123@16-17"),
        ("<rules>text</rules>", "G0124@7-11"),
        ("<rules/>text", "G0123@8-9"),
        ("<rules/><rules/>", "G0123@8-9"),
        (r#"<!DOCTYPE rules [<!ENTITY a "b">]><rules/>"#, "G0123@0-2"),
        ("<rules>&foo;</rules>", "G0123@7-12"),
        ("<rules>a & b</rules>", "G0123@9-10"),
        ("<!-- never closed", "G0123@0-4"),
        (r#"<rules><time field="t" unit="sec"/><time unit="s"/></rules>"#, "G0404@29-32 G0208@35-51"),
        ("<rules><tmie/></rules>", "G0124@8-12"),
        (
            r#"<rules><event/><event name="a" from="b"/><event name="a"><message name="x"><field query="a" as="u"/></message></event></rules>"#,
            "G0124@7-15 G0124@15-41 G0205@96-97",
        ),
        (
            r#"<rules><rule id="p" verdict="yes" matching="al" stict-end="true" severity="urgent"/></rules>"#,
            "G0124@7-84 G0124@7-84 G0124@7-84 G0126@29-32 G0126@44-46 G0124@48-57 G0126@75-81",
        ),
        (
            r#"<rules><rule id="p" verdict="true"><supposition><message name="a"/></supposition><window from="0" to="10" unit="s"/><context><message name="b"/></context></rule><rule id="p" verdict="true"><supposition><message name="a"/></supposition><window from="0" to="10" unit="s"/><context><message name="b"/></context></rule></rules>"#,
            "G0201@171-172",
        ),
        (
            r#"<rules><rule id="p" verdict="true"><supposition><message/><or><message name="x"/></or></supposition><window from="0" to="10s" unit="s"/><context><not><and><message name="b"/></and></not></context></rule></rules>"#,
            "G0124@48-58 G0124@58-62 G0302@121-124 G0119@145-150",
        ),
        (
            r#"<rules><rule id="p" verdict="true"><supposition/><window from="-5" to="inf"/><context/></rule></rules>"#,
            "G0124@35-49 G0309@63-65 G0124@77-87",
        ),
        (
            r#"<rules><rule id="p" verdict="true"><supposition><message name="a" phase="end"/></supposition><window from="inf" to="inf"/><context><and/></context></rule></rules>"#,
            "G0126@73-76 G0320@93-122 G0124@131-137",
        ),
        (
            r#"<rules><rule id="p" verdict="true"><supposition><message name="a"><condition query="//x" is="equals" value="1"/><condition query="x" value="a" type="number"/><condition value="1"/></message></supposition><window from="10 sec" to="0"/><context><message name="b"/><message name="c"/></context></rule></rules>"#,
            "G0125@84-86 G0126@93-99 G0126@140-141 G0124@158-180 G0404@221-224 G0124@234-243",
        ),
        (
            r#"<rules><rule id="p" verdict="true"><supposition><message name="a"/></supposition><window from="0" to="10" unit="s"/><context><message name="b"/></context><correlation/><correlation><query message="a">item[0]</query><query>x</query><query message="b"></query><query message="b"><x/></query></correlation></rule></rules>"#,
            "G0124@154-168 G0125@204-207 G0124@215-222 G0124@231-250 G0124@278-279",
        ),
        (
            r#"<rules><rule id="p" verdict="true"><supposition><message name="a"/></supposition><window from="0" to="10" unit="s"/><context><message name="b"/></context><correlation><query message="a">id</query><query message="a">x</query></correlation><correlation><query message="a">id</query></correlation></rule></rules>"#,
            "G0321@196-224 G0322@154-167 G0322@238-251",
        ),
        (
            r#"<rules><rule id="p" verdict="true"><supposition><message name="a"/></supposition><window from="0" to="10"/><window from="0" to="10"/><context><message name="b"/></context><correlation><query message="a">text&lt;</query></correlation></rule></rules>"#,
            "G0124@108-114 G0125@203-211",
        ),
        (
            r#"<rules><event name="loginRes"><message name="x"/></event><rule id="p" verdict="true"><supposition><message name="a"/></supposition><window from="0" to="10"/><context><message name="loginRse"/></context></rule></rules>"#,
            "G0203@181-189",
        ),
        (r#"<rules><rule id="p" verdict="true" title="a < b"/></rules>"#, "G0123@44-45"),
        (r#"<rules><rule id="p"verdict="true"/></rules>"#, "G0123@19-20"),
        ("<rules><1/></rules>", "G0123@8-9"),
        ("<rules></rules", "G0123@14-14"),
        ("<rules><a:b></c:b></rules>", "G0123@14-17"),
        ("<rules><![CDATA[x</rules>", "G0123@7-16"),
        (r#"<rules><time field unit="s"/></rules>"#, "G0123@13-18"),
        (r#"<?xml version="1.0"?>"#, "G0123@21-21"),
    ] {
        assert_eq!(shown(&found(source)), expected, "{source}");
    }
}

#[test]
fn edits_say_what_to_write() {
    for (source, expected) in [
        (r#"<rules xmlns="urn:other"/>"#, r#"<rules xmlns="urn:gnomon:rules:1"/>"#),
        ("<rules></rule>", "<rules></rules>"),
        (
            r#"<rules><time field="t" unit="sec"/><time unit="s"/></rules>"#,
            r#"<rules><time field="t" unit="s"/></rules>"#,
        ),
        (
            r#"<rules><event name="loginRes"><message name="x"/></event><rule id="p" verdict="true"><supposition><message name="a"/></supposition><window from="0" to="10"/><context><message name="loginRse"/></context></rule></rules>"#,
            r#"<rules><event name="loginRes"><message name="x"/></event><rule id="p" verdict="true"><supposition><message name="a"/></supposition><window from="0" to="10"/><context><message name="loginRes"/></context></rule></rules>"#,
        ),
        (r#"<rules><time field unit="s"/></rules>"#, r#"<rules><time field="true" unit="s"/></rules>"#),
    ] {
        assert_eq!(edited(source), expected, "{source}");
        assert_eq!(found(expected), [], "{expected}");
    }
}
