// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conversations on a terminal.

use super::pseudo::{BACKSPACE, CTRL_C, DOWN, ENTER, ESCAPE, LEFT, TAB, Terminal, UP};
use crate::support::{TestFolder, root};

#[test]
fn from_questions_to_a_spec() {
    let folder = TestFolder::with(&[("day.csv", "event, time\nopen, 1\nwrite, 2\nclose, 3\n")]);
    let mut terminal = Terminal::run(&folder, &["ask", "--log", "day.csv", "-o", "quiet.rv"]);
    terminal.sees("> Always, from the first event to the last").sees("\"Nobody smokes in this building.\"");
    terminal.press("?").sees("A rule that applies at the wrong time");
    terminal.press(UP).sees("> Only between two events").press(ENTER);
    terminal.sees("When  Only between two events, each time they occur");
    // Events of the log are offered.
    terminal.sees("Which event starts it?").sees("write").press("op").press(TAB).sees("> open").press(ENTER);
    terminal.sees("Starts with  open").sees("Which event ends it?");
    // Backspace stays; back with an empty line, and forth again with the answers that were given.
    terminal.press(BACKSPACE).press("x").sees("> x").press(BACKSPACE).press(LEFT).sees("Which event starts it?");
    terminal.sees("> open").press(ENTER).sees("Which event ends it?");
    terminal.press("?").sees("After this event the rule pauses").press("clos").press(DOWN).sees("> close").press(ENTER);
    terminal.sees("If `open` happens again before `close`, which one counts?").press(BACKSPACE).press(DOWN);
    terminal.sees("> The last `open`").press(ENTER).sees("> No: without `close`").press(LEFT);
    terminal.sees("> The last `open`").press(UP).sees("> The first `open`").press(ENTER);
    terminal.sees("> No: without `close`").press(ENTER);
    terminal.sees("What is the rule about?").press(ENTER);
    terminal.sees("Which event?").press("write").press(ENTER);
    terminal.sees("> `write` never happens").press(ENTER);
    terminal.sees("Does it matter which values").press(ENTER);
    terminal.sees("Enter takes no-write").press("quiet").press(ENTER);

    terminal.sees("pattern quiet { between open and close: absence of write }").sees("> Keep it: write it to quiet.rv");
    // A trace is judged while it is typed.
    terminal.press(DOWN).sees("> Try it: change the trace that satisfies it").press(ENTER);
    terminal.sees("What if this had happened?").sees("holds");
    let length = terminal.page().lines().find_map(|line| line.strip_prefix("> ")).map_or(0, str::len);
    terminal.press(&BACKSPACE.repeat(length)).press("open. write. close").sees("> open. write. close").sees("violated");
    terminal.press(&BACKSPACE.repeat(12)).press("read. clo").sees("nothing in it was exercised");
    terminal
        .press("se@")
        .sees("> open. read. close@")
        .press(BACKSPACE)
        .sees("> open. read. close")
        .sees("holds")
        .press(ENTER);
    terminal.sees("change the trace that satisfies it: open. read. close");
    terminal.press(DOWN).press(DOWN).press(DOWN).sees("> Try it: check day.csv").press(ENTER);
    terminal.sees("Its verdict on the log").sees("1 activated  1 violated").press(ENTER);
    terminal.press(DOWN).sees("> Show translations").press(ENTER).sees("> in English");
    terminal.press(DOWN).press(DOWN).sees("> in temporal logic (mtl)").press(ENTER).sees("mtl quiet").press(LEFT);
    terminal.sees("What do you want to see?").press(LEFT).sees("> Show translations");
    terminal.press("1").sees("> Keep it").press(ENTER);

    let (output, is_sane) = terminal.ends();
    assert_eq!((output.status, output.stdout.as_str()), (0, ""));
    assert!(is_sane, "the terminal is left as it was found");
    assert!(output.stderr.contains("quiet.rv: `quiet` written\n"), "{}", output.stderr);
    let spec = folder.read("quiet.rv");
    assert!(spec.contains("\naccepts quiet { open. read. close }\nrejects quiet { "), "{spec}");
    let tested = folder.run(&["test", "quiet.rv"]);
    assert!(tested.stdout.ends_with("\n2 examples: 2 ok\n"), "{}", tested.stdout);
}

#[test]
fn a_catalogue_gives_names_fields_and_participants() {
    let wsdl = root().join("examples/catalogue/product-retriever.wsdl").display().to_string();
    let folder = TestFolder::with(&[]);
    let arguments = ["ask", "--catalogue", &wsdl, "--save-answers", "served.json"];
    let mut terminal = Terminal::run(&folder, &arguments);
    terminal.sees("> Always").press(ENTER).sees("> One event").press(DOWN).sees("> Two events").press(ENTER);
    terminal.sees("Which event comes first?").press("productreq").press(DOWN).sees("> GetProductRequest").press(ENTER);
    terminal.sees("Which event comes second?").press("GetProductResponse").press(ENTER);
    terminal.sees("> Whenever `GetProductRequest` happens, `GetProductResponse` must follow").press(ENTER);
    terminal.sees("Must `GetProductRequest` happen at all?").press(ENTER);
    terminal.sees("Is there a time limit?").press(DOWN).sees("> Yes, a deadline").press(ENTER);
    // A rejected answer stays in the line.
    terminal.sees("How much time is there?").press("3sec").press(ENTER).sees("unknown unit").sees("> 3sec");
    terminal.press(BACKSPACE).press(BACKSPACE).sees("> 3s").press(ENTER);
    terminal.sees("In what unit are the times of your log?").press(ENTER);
    terminal.sees("Does it matter which values").press(DOWN).sees("> Yes, some values matter").press(ENTER);
    terminal.sees("> GetProductRequest (comes first)").press(ENTER);
    terminal.sees("Which piece of the data of `GetProductRequest`?").press(DOWN);
    let field = {
        let page = terminal.sees("  > ").page();
        let line = page.lines().find(|line| line.starts_with("  > ")).expect("a field is marked").to_owned();
        line.trim_start_matches("  > ").trim().to_owned()
    };
    terminal
        .press(ENTER)
        .sees("of `GetProductRequest` have?")
        .press(DOWN)
        .press(DOWN)
        .sees("> Any value, each")
        .press(ENTER);
    terminal.sees("Does another value matter?").press(ENTER).sees("What is the property called?").press(ENTER);
    terminal.sees("> Keep it: print it").press(ENTER);
    let (output, is_sane) = terminal.ends();
    assert!(output.status == 0 && is_sane, "{}", output.stderr);
    let declaration = format!("event GetProductRequest({field})");
    assert!(output.stdout.contains(&declaration), "{}", output.stdout);
    assert!(output.stdout.contains(" from client to ProductRetriever\n"), "{}", output.stdout);
    let block = "pattern answered-GetProductRequest { globally: GetProductResponse responds to GetProductRequest(*) within 3s }\n";
    assert!(output.stdout.contains(block), "{}", output.stdout);
    // The answers give the same again.
    let again = folder.run(&["ask", "--catalogue", &wsdl, "--answers", "served.json"]);
    assert_eq!((again.status, again.stdout), (0, output.stdout), "{}", again.stderr);
}

#[test]
fn a_chain_is_as_long_as_wanted() {
    let folder = TestFolder::with(&[("rules.rv", "mtl calm { G(!alarm) }\n")]);
    let mut terminal = Terminal::run(&folder, &["ask", "-o", "rules.rv", "--append"]);
    terminal.sees("> Always").press(ENTER).sees("> One event").press(DOWN).press(DOWN).sees("> Three or more");
    terminal.press(ENTER).sees("Which event comes first?").press("unlock").press(ENTER);
    terminal.sees("Which event comes after `unlock`?").press("start").press(ENTER);
    terminal.sees("Which event comes after `start`?").press("look").press(ENTER);
    terminal.sees("Does another event come after `look`?").press(DOWN).sees("> Yes, one more").press(ENTER);
    terminal.sees("Which event comes after `look`?").press("drive").press(ENTER);
    terminal.sees("Does another event come after `drive`?").press(ENTER);
    terminal.sees("How do `unlock`, `start`, `look` and `drive` depend on one another?").press(DOWN).press(ENTER);
    terminal.sees("happen only after `unlock`").press(DOWN).press(DOWN);
    terminal.sees("> `drive` happens only after `unlock` and then `start` and then `look`").press(ENTER);
    terminal.sees("Is there a time limit?").press(ENTER).sees("Does it matter").press(ENTER);
    // A name that is taken is refused immediately.
    terminal.sees("What is the property called?").press("calm").press(ENTER).sees("already has a property `calm`");
    terminal
        .sees("> calm")
        .press(&BACKSPACE.repeat(4))
        .press("careful")
        .press(ENTER)
        .sees("> Keep it: add it to rules.rv")
        .press(ENTER);
    let (output, _) = terminal.ends();
    assert_eq!(output.status, 0, "{}", output.stderr);
    let spec = folder.read("rules.rv");
    assert!(spec.starts_with("mtl calm { G(!alarm) }\n\n# "), "{spec}");
    assert!(spec.contains("\npattern careful { globally: unlock, start, look precede drive }\n"), "{spec}");
}

#[test]
fn a_limit_on_values_is_stated_and_shared_values_are_asked_for_once() {
    let folder = TestFolder::with(&[("calls.csv", "event,Timestamp,id,ms\ncall,1,7,100\nreply,2,7,\nclose,3,,\n")]);
    let mut terminal = Terminal::run(&folder, &["ask", "--log", "calls.csv", "--time", "Timestamp in s"]);
    terminal
        .sees("> Always")
        .press(ENTER)
        .sees("> One event")
        .press(UP)
        .sees("> A value that an event carries")
        .press(ENTER);
    terminal.sees("Which event carries the value?").press("call").press(ENTER);
    terminal.sees("Which piece of the data of `call` is it about?").press("ms").press(ENTER);
    terminal.sees("What is computed from the values of `ms`?").press(DOWN).sees("> The 95th percentile").press(ENTER);
    terminal.sees("> An upper limit").press(ENTER).sees("What is the limit?").press("200ms").press(ENTER);
    terminal.sees("is not a number").sees("> 200ms").press(BACKSPACE).press(BACKSPACE).sees("> 200").press(ENTER);
    // Back over two questions and forth again: the answers are there.
    terminal.sees("before each `call`?").press(LEFT).sees("What is the limit?").sees("> 200").press(ESCAPE);
    terminal.sees("> An upper limit").press(ENTER).sees("> 200").press(ENTER).sees("before each `call`?").press("5m");
    terminal.press(ENTER).sees("What is the property called?").press("fast").press(ENTER);
    terminal.sees("mtl fast { G(call -> p95[5m](call.ms) <= 200) }").press(ENTER);
    let (output, is_sane) = terminal.ends();
    assert!(output.status == 0 && is_sane, "{}", output.stderr);
    assert!(output.stdout.starts_with("time Timestamp in s\n"), "{}", output.stdout);

    let mut terminal = Terminal::run(&folder, &["ask", "--log", "calls.csv", "--time", "Timestamp in s"]);
    terminal.sees("> Always").press(DOWN).sees("> From the beginning until").press(ENTER).press("close").press(ENTER);
    terminal
        .sees("If `close` never happens")
        .press(ENTER)
        .sees("> One event")
        .press(DOWN)
        .sees("> Two events")
        .press(ENTER);
    terminal
        .sees("Which event comes first?")
        .press("call")
        .press(ENTER)
        .sees("comes second?")
        .press("reply")
        .press(ENTER);
    terminal
        .sees("> Whenever `call` happens, `reply` must follow")
        .press(ENTER)
        .sees("Must `call` happen")
        .press(ENTER);
    terminal
        .sees("Is there a time limit?")
        .press(ENTER)
        .sees("Does it matter")
        .press(DOWN)
        .sees("> Yes, some")
        .press(ENTER);
    terminal.sees("> close (ends the rule)").press(DOWN).sees("> call (comes first)").press(ENTER);
    terminal.sees("the data of `call`?").press("id").press(ENTER).sees("`id` of `call` have?").press(DOWN);
    terminal.sees("> Any value, but the same").press(ENTER).sees("Enter takes id").press(ENTER);
    terminal.sees("Which other events carry the same `id`?").press("reply").press(ENTER);
    terminal
        .sees("Does another value matter?")
        .press(ENTER)
        .sees("What is the property called?")
        .press("n")
        .press(ENTER);
    terminal.sees("Note: `close` does not carry `id`").press(ENTER);
    let (output, _) = terminal.ends();
    let block = "pattern n { for every id: before close: reply(id) responds to call(id) }\n";
    assert!(output.stdout.contains(block), "{}", output.stdout);
    assert!(output.stderr.contains("`close` does not carry `id`: any such event counts"), "{}", output.stderr);
}

#[test]
fn leaving_writes_nothing_and_puts_the_terminal_back() {
    let folder = TestFolder::with(&[]);
    let mut terminal = Terminal::run(&folder, &["ask", "-o", "none.rv"]);
    terminal.sees("> Always").press(ENTER).sees("> One event").press(CTRL_C);
    let (output, is_sane) = terminal.ends();
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (0, "", "nothing was written\n"));
    assert!(is_sane && folder.names().is_empty());
}
