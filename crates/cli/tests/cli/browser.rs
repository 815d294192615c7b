// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of statistics in a real browser.

mod devtools;

use serde_json::{Value, json};

use crate::support::TestFolder;
use devtools::Browser;

/// Titles and file names come from strangers.
const HOSTILE: &str = "<img src=x onerror='window.hacked=1'></script><script>window.hacked=2</script>";
const SOURCE: &str = "<b onclick='window.hacked=3'>{{data}}.csv";

fn page() -> TestFolder {
    let spec = format!(
        "time in s\nsoloist polite \"{HOSTILE}\" {{ G(request -> F[0,3] reply) }}\n\
         soloist calm {{ G(!alarm) }}\n"
    );
    let trace = "\
event, time
start, 0
request, 1
reply, 2
alarm, 12
request, 13
request, 25
reply, 27
ping, 49
";
    let folder = TestFolder::with(&[("rules.rv", &spec), (SOURCE, trace)]);
    let output = folder.run(&["stats", "rules.rv", SOURCE, "--every", "10s", "--html", "page.html"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    folder
}

fn open(folder: &TestFolder) -> Browser {
    let mut browser = Browser::start();
    browser.look(1200, 900, "light");
    browser.open(&folder.path("page.html"));
    browser
}

/// The middle of what a selector finds, and its size.
fn place(browser: &mut Browser, selector: &str) -> ([f64; 2], [f64; 2]) {
    let script = format!(
        "(() => {{ const found = document.querySelector({}); found.scrollIntoView({{block: 'center'}}); \
         const box = found.getBoundingClientRect(); \
         return [box.left + box.width / 2, box.top + box.height / 2, box.width, box.height]; }})()",
        json!(selector)
    );
    let found: Vec<f64> = serde_json::from_value(browser.value(&script)).expect("four numbers");
    ([found[0], found[1]], [found[2], found[3]])
}

/// The intervals whose lines are shown in a view.
fn shown(browser: &mut Browser, view: u32) -> Value {
    let selector = format!("#view-{view} polyline:not(.out)");
    let script = format!(
        "[...document.querySelectorAll('{selector}')].map((line) => Number(line.dataset.row)).sort((a, b) => a - b)"
    );
    browser.value(&script)
}

fn axis(view: u32, number: u32) -> String {
    // The lines are the first child of the drawing.
    format!("#view-{view} svg .axis:nth-child({}) .hit", number + 2)
}

#[test]
fn each_interval_is_a_line_and_the_latest_is_bright() {
    let folder = page();
    let mut browser = open(&folder);
    for view in ["#view-0", "#view-1"] {
        assert_eq!(browser.count(&format!("{view} polyline")), 5);
        assert_eq!(browser.count(&format!("{view} .axis")), 8);
        let bright = browser.value(&format!("document.querySelector('{view} polyline.latest').dataset.row"));
        assert_eq!((browser.count(&format!("{view} polyline.latest")), bright), (1, json!("4")));
    }
    // Brighter, really: another colour and a thicker line.
    let styles = "['.latest', ':not(.latest)'].map((kind) => { \
                  const style = getComputedStyle(document.querySelector('#view-0 polyline' + kind)); \
                  return [style.stroke, style.strokeWidth]; })";
    let styles = browser.value(styles);
    assert_ne!(styles[0][0], styles[1][0]);
    assert_ne!(styles[0][1], styles[1][1]);
    let reading = browser.value("document.querySelector('#view-0 .reading').textContent");
    let expected = "Latest, 40 to 50 s: activated 3, satisfied 2, violated 1, failure 33.3 %, shortest 1 s, \
                    longest 2 s, mean 1.5 s";
    assert_eq!(reading, json!(expected));
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}

#[test]
fn charts_show_what_each_interval_added() {
    let folder = page();
    let mut browser = open(&folder);
    // Activations in intervals 0, 1 and 2; a violation in interval 1; satisfied in intervals 0 and 2.
    let bars = |chart: u32| {
        format!("document.querySelectorAll('#view-0 .charts path')[{chart}].getAttribute('d').split('M').length - 1")
    };
    assert_eq!([0, 1, 2].map(|chart| browser.value(&bars(chart))), [json!(3), json!(1), json!(2)]);
    let tallest = browser
        .value("[...document.querySelectorAll('#view-0 .charts text:first-of-type')].map((text) => text.textContent)");
    assert_eq!(tallest, json!(["1", "1", "2 s"]));
    // Pointing at a bar reads its interval.
    let (middle, size) = place(&mut browser, "#view-0 .charts svg");
    browser.mouse("mouseMoved", [middle[0] - size[0] * 0.2, middle[1]]);
    let reading = browser.value("document.querySelector('#view-0 .reading').textContent");
    assert!(reading.as_str().is_some_and(|text| text.starts_with("10 to 20 s")), "{reading}");
    assert_eq!(browser.value("document.querySelector('#view-0 .charts .cursor').style.display"), json!(""));
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}

#[test]
fn labels_stay_inside_their_cards() {
    let name = "a-name-that-a-generator-may-well-produce-".repeat(4);
    let spec = format!("mtl {name}x {{ G(request -> F[0,3s] reply) }}\n");
    let mut rows = String::from("event, time\n");
    for row in 0..40 {
        let (event, day, second) = (["request", "reply"][row % 2], 1 + row / 20, row % 20);
        rows += &[event, ", 2026-03-0", &day.to_string(), "T23:59:", &format!("{second:02}"), ".123456789Z\n"].concat();
    }
    let folder = TestFolder::with(&[("rules.rv", &spec), ("day.csv", &rows)]);
    let output = folder.run(&["stats", "rules.rv", "day.csv", "--every", "1h", "--html", "page.html"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    let mut browser = open(&folder);
    for width in [1280, 800, 400] {
        browser.look(width, 900, "light");
        browser.value("new Promise((done) => setTimeout(done, 100))");
        let outside = "[...document.querySelectorAll('.view')].flatMap((card) => { \
                       const frame = card.getBoundingClientRect(); \
                       return [...card.querySelectorAll('text, h2, p, figcaption, summary')].filter((label) => { \
                       const box = label.getBoundingClientRect(); \
                       return box.left < frame.left || box.right > frame.right; }).map((label) => label.textContent); })";
        assert_eq!(browser.value(outside), json!([]), "{width}");
        assert!(browser.value("document.querySelectorAll('.view text').length").as_u64() > Some(20));
        assert_eq!(browser.value("document.documentElement.scrollWidth <= innerWidth"), json!(true), "{width}");
    }
}

#[test]
fn untrusted_text_is_never_markup() {
    let folder = page();
    let mut browser = open(&folder);
    assert_eq!(browser.value("window.hacked ?? null"), json!(null));
    assert_eq!(browser.count("img") + browser.count("h1 *"), 0);
    assert_eq!(browser.value("document.querySelector('h1').textContent"), json!(SOURCE));
    assert_eq!(browser.value("document.title"), json!(format!("{SOURCE}: statistics")));
    let heading = browser.value("document.querySelector('#view-0 h2').textContent");
    assert_eq!(heading, json!(format!("polite {HOSTILE}")));
    // Nothing is loaded from anywhere.
    assert_eq!(browser.value("performance.getEntriesByType('resource').length"), json!(0));
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}

#[test]
fn lines_are_kept_by_axis_and_by_time() {
    let folder = page();
    let mut browser = open(&folder);
    assert_eq!(shown(&mut browser, 0), json!([0, 1, 2, 3, 4]));
    // Activations by the end of each interval: 1, 2, 3, 3, 3. Their axis from the top down to 1.2, then to 2.4.
    let (middle, size) = place(&mut browser, &axis(0, 1));
    let above = middle[1] - size[1] / 2.0 + 2.0;
    browser.drag([middle[0], above], [middle[0], middle[1] + size[1] * 0.1]);
    assert_eq!(shown(&mut browser, 0), json!([1, 2, 3, 4]));
    browser.drag([middle[0], above], [middle[0], middle[1] - size[1] * 0.3]);
    assert_eq!(shown(&mut browser, 0), json!([2, 3, 4]));
    assert_eq!(shown(&mut browser, 1), json!([0, 1, 2, 3, 4]), "the other view is left alone");
    browser.value("document.querySelector('#view-0 details').open = true");
    browser.value("new Promise((done) => setTimeout(done, 0))");
    assert_eq!(browser.count("#view-0 tbody tr"), 3);
    let row = browser
        .value("[...document.querySelectorAll('#view-0 tbody tr:first-child td')].map((cell) => cell.textContent)");
    let expected = ["20", "30", "2", "3", "2", "1", "33.3 %", "1 s", "2 s", "1.5 s", "0"];
    assert_eq!(row, json!(expected));
    // A click on the axis lets go.
    browser.drag(middle, middle);
    assert_eq!(shown(&mut browser, 0), json!([0, 1, 2, 3, 4]));

    // By time, for all views: the latest is then the last that is shown.
    browser.value("document.querySelector('#last').focus()");
    browser.press("ArrowLeft", false);
    browser.press("ArrowLeft", false);
    assert_eq!((shown(&mut browser, 0), shown(&mut browser, 1)), (json!([0, 1, 2]), json!([0, 1, 2])));
    assert_eq!(browser.value("document.querySelector('#view-1 polyline.latest').dataset.row"), json!("2"));
    let (button, _) = place(&mut browser, "#clear");
    browser.drag(button, button);
    assert_eq!(shown(&mut browser, 1), json!([0, 1, 2, 3, 4]));
    assert_eq!(browser.value("document.querySelector('#clear').disabled"), json!(true));

    // What each interval added: one violation, in the second.
    let (radio, _) = place(&mut browser, "input[value=within]");
    browser.drag(radio, radio);
    assert_eq!(browser.count("#view-1 .axis"), 6);
    let (middle, size) = place(&mut browser, &axis(1, 4));
    browser.drag([middle[0], middle[1] - size[1] / 2.0 + 2.0], middle);
    assert_eq!(shown(&mut browser, 1), json!([1]));
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}

#[test]
fn the_keyboard_and_the_pointer_read_a_line() {
    let folder = page();
    let mut browser = open(&folder);
    let reading = "document.querySelector('#view-0 .reading').textContent";
    browser.value("document.querySelector('#view-0 .walk').focus()");
    for (key, begins) in
        [("Home", "0 to 10 s: activated 1,"), ("ArrowRight", "10 to 20 s: activated 2,"), ("End", "40 to 50 s")]
    {
        browser.press(key, false);
        let text = browser.value(reading);
        assert!(text.as_str().is_some_and(|text| text.starts_with(begins)), "{key}: {text}");
        assert_eq!(browser.count("#view-0 polyline.chosen"), 1);
    }
    let spoken = browser.value("document.querySelector('#view-0 .walk').getAttribute('aria-valuetext')");
    assert_eq!(spoken, browser.value(reading));
    browser.press("Escape", false);
    assert_eq!(browser.count("#view-0 polyline.chosen"), 0);

    // Keep by keyboard: the lower end of `activated` one step up leaves out nothing, many steps leave out the first.
    browser.value("document.querySelectorAll('#view-0 .axis')[1].focus()");
    for _ in 0..8 {
        browser.press("ArrowUp", false);
    }
    assert_eq!(shown(&mut browser, 0), json!([1, 2, 3, 4]));
    browser.press("ArrowDown", true);
    assert_eq!(shown(&mut browser, 0), json!([1]));
    let reported = browser.value("document.activeElement.getAttribute('aria-valuetext')");
    assert_eq!(reported, json!("kept: 1.2 to 2.85"));
    browser.press("Escape", false);
    assert_eq!(shown(&mut browser, 0), json!([0, 1, 2, 3, 4]));

    // The first interval alone has one activation of the three that there are in the end.
    let (middle, size) = place(&mut browser, &axis(0, 1));
    browser.mouse("mouseMoved", [middle[0], middle[1] + size[1] / 6.0]);
    let text = browser.value(reading);
    assert!(text.as_str().is_some_and(|text| text.starts_with("0 to 10 s")), "{text}");
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}

#[test]
fn a_phone_and_the_dark_are_enough() {
    let folder = page();
    let mut browser = open(&folder);
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = browser.value(ground);
    browser.look(360, 740, "dark");
    assert_ne!(browser.value(ground), light);
    assert_eq!(browser.value("document.documentElement.scrollWidth <= innerWidth"), json!(true));
    assert_eq!(browser.count("#view-0 polyline"), 5);
    // Axes lie flat, one below the other, and nothing is drawn beyond the edge.
    let boxes = "[...document.querySelectorAll('#view-0 .axis line')].map((line) => line.getBoundingClientRect()) \
                 .every((box) => box.width > 200 && box.right <= innerWidth)";
    assert_eq!(browser.value(boxes), json!(true));
    let (middle, size) = place(&mut browser, &axis(0, 1));
    browser.drag([middle[0] + size[0] / 2.0 - 2.0, middle[1]], [middle[0] + size[0] * 0.3, middle[1]]);
    assert_eq!(shown(&mut browser, 0), json!([2, 3, 4]));
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}

#[test]
fn a_trace_without_events_has_a_page() {
    let folder = TestFolder::with(&[("rules.rv", "soloist calm { G(!alarm) }\n"), ("none.csv", "event, time\n")]);
    let output = folder.run(&["stats", "rules.rv", "none.csv", "--html", "page.html"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    let mut browser = open(&folder);
    assert_eq!((browser.count("polyline"), browser.count("#overview tbody tr")), (0, 1));
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}
