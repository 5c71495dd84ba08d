//! Draws the report: two bar charts with one group for each scenario and size, and one bar for each policy. The
//! output is plain SVG without a script, readable on light and dark pages. Pure.

use super::report::Row;
use std::fmt::Write;

/// Pixels.
const BAR: f64 = 13.0;
const GAP: f64 = 16.0;
const LEFT: f64 = 50.0;
const PLOT: f64 = 180.0;
const PANEL: f64 = PLOT + 78.0;
const TOP: f64 = 46.0;
/// One colour for each policy, in their order. They can be told apart without colour vision as well.
const COLOURS: [&str; 3] = ["#1b6ca8", "#e08e2b", "#8a8f98"];

/// One chart.
struct Panel {
    title: &'static str,
    /// The end of the axis; a longer bar is cut there and shows its value.
    max: f64,
    step: f64,
    /// The line that bars should keep to, and on which side.
    target: f64,
    value: fn(&Row) -> Option<f64>,
}

const PANELS: [Panel; 2] = [
    Panel {
        title: "throughput / ideal of the healthy nodes (line: 0.9, more is better)",
        max: 1.1,
        step: 0.25,
        target: 0.9,
        value: |row| Some(row.throughput_ratio),
    },
    Panel {
        title: "p99 / p99 with all nodes well (line: 1.5, less is better)",
        max: 4.0,
        step: 1.0,
        target: 1.5,
        value: |row| row.p99_ratio,
    },
];

/// The picture of these rows.
pub(super) fn plot(rows: &[Row]) -> String {
    let names = distinct(rows.iter().map(|row| row.name));
    let mut groups = distinct(rows.iter().map(|row| (row.name, row.nodes)));
    groups.sort_by_key(|(name, _)| names.iter().position(|other| other == name));
    let policies = distinct(rows.iter().map(|row| row.policy));
    let group_width = BAR * policies.len() as f64 + GAP;
    let width = (LEFT + group_width * groups.len() as f64 + GAP).max(620.0);
    let height = TOP + PANEL * PANELS.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    legend(&mut svg, &policies);
    for (number, panel) in PANELS.iter().enumerate() {
        let top = TOP + PANEL * number as f64;
        axis(&mut svg, panel, top, width);
        for (place, group) in groups.iter().enumerate() {
            let left = LEFT + GAP / 2.0 + group_width * place as f64;
            let middle = left + (group_width - GAP) / 2.0;
            let (name, nodes) = group;
            text(
                &mut svg,
                (middle, top + 34.0 + PLOT),
                "middle",
                &nodes.to_string(),
            );
            let is_first = place == 0 || groups[place - 1].0 != *name;
            if is_first {
                let label = format!("{name} · nodes:");
                text(&mut svg, (left, top + 50.0 + PLOT), "start", &label);
            }
            for (index, policy) in policies.iter().enumerate() {
                let row = rows
                    .iter()
                    .find(|row| (row.name, row.nodes) == *group && row.policy == *policy);
                if let Some(value) = row.and_then(panel.value) {
                    bar(
                        &mut svg,
                        panel,
                        (left + BAR * index as f64, top),
                        index,
                        value,
                    );
                }
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

fn legend(svg: &mut String, policies: &[&str]) {
    for (index, policy) in policies.iter().enumerate() {
        let left = LEFT + 150.0 * index as f64;
        let colour = COLOURS[index % COLOURS.len()];
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"12\" width=\"11\" height=\"11\" fill=\"{colour}\"/>"
        );
        text(svg, (left + 16.0, 21.0), "start", &policy.replace('_', " "));
    }
}

fn axis(svg: &mut String, panel: &Panel, top: f64, width: f64) {
    text(svg, (LEFT, top + 8.0), "start", panel.title);
    let mut value = 0.0;
    while value <= panel.max + 1e-9 {
        let y = y(panel, top, value);
        rule(svg, y, width, "#dddddd", "");
        text(svg, (LEFT - 6.0, y + 4.0), "end", &format!("{value}"));
        value += panel.step;
    }
    let y = y(panel, top, panel.target);
    rule(svg, y, width, "#b03030", " stroke-dasharray=\"5 3\"");
}

fn rule(svg: &mut String, y: f64, width: f64, colour: &str, more: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{LEFT:.1}\" y1=\"{y:.1}\" x2=\"{width:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\"{more}/>"
    );
}

fn bar(svg: &mut String, panel: &Panel, (left, top): (f64, f64), index: usize, value: f64) {
    let high = y(panel, top, value.min(panel.max));
    let height = y(panel, top, 0.0) - high;
    let colour = COLOURS[index % COLOURS.len()];
    let _ = writeln!(
        svg,
        "<rect x=\"{left:.1}\" y=\"{high:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{colour}\"><title>{value:.3}</title></rect>",
        BAR - 1.0
    );
    if value > panel.max {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"8\" fill=\"#222222\">{value:.0}</text>",
            left + BAR / 2.0,
            high - 2.0
        );
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#222222\">{text}</text>"
    );
}

/// The position of a value, in pixels from above.
fn y(panel: &Panel, top: f64, value: f64) -> f64 {
    top + 20.0 + PLOT * (1.0 - value / panel.max)
}

#[cfg(test)]
mod tests {
    use super::super::report::{compare, tests::row};
    use super::*;

    #[test]
    fn every_row_has_a_bar_in_both_charts_and_a_cut_one_says_its_value() {
        let mut rows = [
            row("uniform", "balanced", 200.0),
            row("uniform", "round_robin", 200.0),
            row("slow", "balanced", 220.0),
            row("slow", "round_robin", 4_400.0),
        ];
        compare(&mut rows);
        let svg = plot(&rows);
        assert_eq!(svg.matches("<title>").count(), 8);
        assert_eq!(svg.matches("<title>1.100</title>").count(), 1);
        assert!(svg.contains(">22</text>"), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 1 + 2 + 8);
        for open in ["<svg", "<text", "<title"] {
            let close = open.replace('<', "</");
            assert_eq!(svg.matches(open).count(), svg.matches(&close).count());
        }
    }

    #[test]
    fn what_was_not_compared_has_no_bar() {
        let svg = plot(&[row("slow", "balanced", 220.0)]);
        assert_eq!(svg.matches("<title>").count(), 1);
    }
}
