// SPDX-License-Identifier: MIT OR Apache-2.0
//! Curves of cost against the size of a problem, for `docs/performance.md`.
//!
//! Each curve is a family of specs and traces of growing size. The cost is the number of instructions of `gnomon check` (callgrind), less
//! that of an empty trace, for each unit of the size where the trace grows with it. A curve that rises no faster than its dashed line, which
//! is n log n through its first point, is near linear.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::instructions::instructions;

#[derive(Args)]
pub(crate) struct CurveOptions {
    /// The program to measure, called as `PROGRAM check SPEC TRACE`; the release build of this workspace if left out
    #[arg(long)]
    gnomon: Option<PathBuf>,
    /// Draw the figures that were measured before
    #[arg(long)]
    draw_only: bool,
}

/// A family of specs and traces.
struct Family {
    title: &'static str,
    axis: &'static str,
    sizes: [usize; 4],
    make: fn(usize) -> (String, String),
}

/// The figures of a family: size and millions of instructions.
struct Curve {
    title: String,
    axis: String,
    points: Vec<(f64, f64)>,
}

const FAMILIES: [Family; 6] = [
    Family {
        title: "Size of a formula: nested S",
        axis: "operators",
        sizes: [16, 32, 64, 128],
        make: |size| {
            (format!("mtl p {{ G(a -> {}c{}) }}\n", "(b S ".repeat(size), ")".repeat(size)), letters(2_000, 1))
        },
    },
    Family {
        title: "Number of properties",
        axis: "properties",
        sizes: [25, 50, 100, 200],
        make: |size| {
            let property = |number: usize| {
                format!("mtl p{number} {{ G(e{} -> F[0,20] e{}) }}\n", number % 35, (number * 7 + 1) % 35)
            };
            let rows = (0..4_000).map(|row| format!("e{},{row}\n", row * 11 % 35));
            ((0..size).map(property).collect(), format!("event,time\n{}", rows.collect::<String>()))
        },
    },
    Family {
        title: "Length of a window",
        axis: "time units",
        sizes: [10, 100, 1_000, 10_000],
        make: |size| (format!("mtl p {{ G(a -> count[{size}](b) < 1000000 && P[0,{size}] c) }}\n"), letters(20_000, 1)),
    },
    Family {
        title: "Events at the same time",
        axis: "events at a time",
        sizes: [1, 10, 100, 1_000],
        make: |size| {
            ("mtl p (simultaneous merge) { forall u. G(a(u) -> P[0,5] b(u)) }\n".to_owned(), letters(10_000, size))
        },
    },
    Family {
        title: "Bindings, four events each",
        axis: "bindings",
        sizes: [1_000, 2_000, 4_000, 8_000],
        make: |size| {
            let names = ["open", "use", "close", "use"];
            let row = |row: usize| format!("{},{row},{}\n", names[(row / size + row % size) % 4], row % size);
            let rows: String = (0..4 * size).map(row).collect();
            ("mtl p { forall f. G(use(f) -> (!close(f) S open(f))) }\n".to_owned(), format!("event,time,f\n{rows}"))
        },
    },
    Family {
        title: "Variables, two values each",
        axis: "partial bindings",
        sizes: [9, 27, 81, 243],
        make: |size| {
            let variables = size.ilog(3) as usize;
            let names: Vec<String> = (0..variables).map(|variable| format!("x{variable}")).collect();
            let clauses: Vec<String> = names.iter().map(|name| format!("(a({name}) -> F b({name}))")).collect();
            let property = format!("mtl p {{ forall {}. G({}) }}\n", names.join(", "), clauses.join(" && "));
            (property, "event,time,v\na,0,1\nb,1,1\na,2,2\nb,3,2\n".to_owned())
        },
    },
];

/// Returns a trace of the events a, b and c with a parameter, some at the same time.
fn letters(events: usize, together: usize) -> String {
    let row = |row: usize| format!("{},{},{}\n", ["a", "b", "c"][row % 3], row / together, row % 500);
    format!("event,time,u\n{}", (0..events).map(row).collect::<String>())
}

/// Measures the curves, keeps the figures in `bench/curves.tsv`, and draws them.
pub(crate) fn draw(options: &CurveOptions) -> Result<bool, Box<dyn Error>> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (figures, drawing) = (home.join("curves.tsv"), home.join("../docs/performance.svg"));
    if !options.draw_only {
        let gnomon = options.gnomon.clone().unwrap_or_else(|| home.join("../target/release/gnomon"));
        let folder = home.join("data");
        fs::create_dir_all(&folder)?;
        let mut text = "# Curves of docs/performance.md: title, axis, size, millions of instructions. `make bench-curves` writes this file.\n".to_owned();
        for Family { title, axis, sizes, make } in FAMILIES {
            for size in sizes {
                let (spec, trace) = make(size);
                let head = trace.lines().next().unwrap_or_default().to_owned() + "\n";
                let cost = |trace: &str| -> Result<u64, Box<dyn Error>> {
                    let (spec_path, trace_path) = (folder.join("curve.rv"), folder.join("curve.csv"));
                    fs::write(&spec_path, &spec)?;
                    fs::write(&trace_path, trace)?;
                    instructions(Command::new(&gnomon).arg("check").arg(spec_path).arg(trace_path))
                };
                let millions = cost(&trace)?.saturating_sub(cost(&head)?) as f64 / 1e6;
                let _ = writeln!(text, "{title}\t{axis}\t{size}\t{millions:.3}");
            }
        }
        fs::write(&figures, text)?;
    }
    fs::write(drawing, svg(&parse(&fs::read_to_string(&figures)?)?))?;
    Ok(true)
}

fn parse(text: &str) -> Result<Vec<Curve>, Box<dyn Error>> {
    let mut curves: Vec<Curve> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [title, axis, size, cost] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("`{line}` is no point of a curve").into());
        };
        let point = (size.parse()?, cost.parse()?);
        match curves.last_mut().filter(|curve| curve.title == title) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { title: title.to_owned(), axis: axis.to_owned(), points: vec![point] }),
        }
    }
    Ok(curves)
}

/// Width and height of a panel, and the margins of its plot.
const PANEL: (f64, f64) = (300.0, 220.0);
const LEFT: f64 = 52.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 42.0;

/// Draws a panel for each curve, with logarithmic axes.
fn svg(curves: &[Curve]) -> String {
    const COLUMNS: usize = 3;
    let rows = curves.len().div_ceil(COLUMNS);
    let (width, height) = (PANEL.0 * COLUMNS as f64, PANEL.1 * rows as f64);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (number, curve) in curves.iter().enumerate() {
        let (x, y) = ((number % COLUMNS) as f64 * PANEL.0, (number / COLUMNS) as f64 * PANEL.1);
        let _ = writeln!(text, "<g transform=\"translate({x} {y})\">\n{}</g>", panel(curve));
    }
    text + "</svg>\n"
}

fn panel(curve: &Curve) -> String {
    let bound: Vec<(f64, f64)> = curve.points.first().map_or_else(Vec::new, |&(first, cost)| {
        let grown = |size: f64| size * (size + 1.0).log2() / (first * (first + 1.0).log2());
        curve.points.iter().map(|&(size, _)| (size, cost * grown(size))).collect()
    });
    let all = || curve.points.iter().chain(&bound);
    let range = |of: fn(&(f64, f64)) -> f64| {
        all().map(of).fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ((left, right), (low, high)) = (range(|point| point.0), range(|point| point.1));
    let scale = |value: f64, low: f64, high: f64| (value / low).ln() / (high / low).ln().max(f64::MIN_POSITIVE);
    let place = |&(size, cost): &(f64, f64)| {
        let (width, height) = (PANEL.0 - LEFT - RIGHT, PANEL.1 - TOP - BOTTOM);
        (LEFT + width * scale(size, left, right), TOP + height * (1.0 - scale(cost, low, high)))
    };
    let path = |points: &[(f64, f64)]| {
        points.iter().map(place).fold(String::new(), |path, (x, y)| path + &format!("{x:.1},{y:.1} "))
    };
    let (base, end) = (PANEL.1 - BOTTOM, PANEL.0 - RIGHT);
    let mut text = format!(
        "<text x=\"{LEFT}\" y=\"18\" font-weight=\"bold\">{}</text>\n\
         <path d=\"M{LEFT} {TOP}V{base}H{end}\" fill=\"none\" stroke=\"#888\"/>\n\
         <polyline points=\"{}\" fill=\"none\" stroke=\"#999\" stroke-dasharray=\"4 3\"/>\n\
         <polyline points=\"{}\" fill=\"none\" stroke=\"#0b62a4\" stroke-width=\"2\"/>\n",
        curve.title,
        path(&bound),
        path(&curve.points)
    );
    for point in &curve.points {
        let (x, y) = place(point);
        let _ = writeln!(
            text,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"#0b62a4\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            base + 14.0,
            point.0
        );
    }
    let middle = f64::midpoint(LEFT, end);
    let _ =
        writeln!(text, "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>", base + 30.0, curve.axis);
    for value in [low, high] {
        let (_, y) = place(&(left, value));
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 4.0,
            y + 4.0,
            figure(value)
        );
    }
    text
}

/// Prints millions with three digits.
fn figure(millions: f64) -> String {
    let (value, unit) = if millions < 1000.0 { (millions, "M") } else { (millions / 1000.0, "G") };
    let places = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.places$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_drawn_inside_its_panel() {
        let curves = parse("# head\nA\tn\t1\t2.5\nA\tn\t10\t20\nB\tm\t4\t1\nB\tm\t8\t2\n").unwrap();
        assert_eq!(curves.iter().map(|curve| curve.points.len()).collect::<Vec<_>>(), [2, 2]);
        let drawing = svg(&curves);
        assert_eq!((drawing.matches("<circle").count(), drawing.matches("<polyline").count()), (4, 4));
        assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
        assert!(parse("A\t1\n").is_err());
    }
}
