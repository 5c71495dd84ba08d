//! Reads a chart into lines: its title and those of its axes, and its values as a table, a row for each category.
//!
//! The values are those that the program wrote down when it drew the chart.

use crate::reader::SkipReason;
use crate::reader::tree::{Node, Tree};
use std::collections::{BTreeMap, BTreeSet};
use text::one_line;

/// Most cells of the table of a chart.
const CELLS_MAX: usize = 20_000;

/// What a series, or its categories, has at each point.
type Points = BTreeMap<u32, String>;

struct Series {
    name: String,
    categories: Points,
    values: Points,
}

/// The lines of a chart.
pub(in crate::reader) fn lines(xml: &str) -> Result<Vec<String>, SkipReason> {
    let tree = Tree::parse(xml)?;
    let mut lines = Vec::new();
    let axes = tree.nodes().filter(|node| node.name().ends_with("Ax"));
    let axes: Vec<String> = axes.map(title).filter(|axis| !axis.is_empty()).collect();
    let title = match (
        tree.nodes()
            .find(|node| node.name() == "chart")
            .map(title)
            .unwrap_or_default(),
        axes.join(", "),
    ) {
        (title, axes) if axes.is_empty() => title,
        (title, axes) => format!("{title} ({axes})"),
    };
    if !title.is_empty() {
        lines.extend([format!("Chart: {}", title.trim()), String::new()]);
    }
    let series: Vec<Series> = tree
        .nodes()
        .filter(|node| node.name() == "ser")
        .map(Series::of)
        .collect();
    // The points of a scatter chart have a category for each series.
    let shared = |a: &Series, b: &Series| b.categories.is_empty() || a.categories == b.categories;
    for group in series.chunk_by(shared) {
        let points: BTreeSet<u32> = group
            .iter()
            .flat_map(|series| series.values.keys().copied())
            .collect();
        if !points.is_empty() {
            lines.push(row("", group.iter().map(|series| series.name.as_str())));
        }
        for point in points.iter().take(CELLS_MAX / group.len()) {
            let at = |points: &'_ Points| points.get(point).cloned().unwrap_or_default();
            let values: Vec<String> = group.iter().map(|series| at(&series.values)).collect();
            lines.push(row(
                &at(&group[0].categories),
                values.iter().map(String::as_str),
            ));
        }
        lines.push(String::new());
    }
    Ok(lines)
}

impl Series {
    fn of(node: Node<'_>) -> Series {
        let points = |names: [&str; 2]| {
            let mut parts = node.children().filter(|part| names.contains(&part.name()));
            parts.next().map(points).unwrap_or_default()
        };
        let mut values = points(["val", "yVal"]);
        for (point, size) in points(["bubbleSize", ""]) {
            values
                .entry(point)
                .or_default()
                .push_str(&format!(" ({size})"));
        }
        let name = node.children().find(|part| part.name() == "tx");
        Series {
            name: name.map(said).unwrap_or_default(),
            categories: points(["cat", "xVal"]),
            values,
        }
    }
}

/// The title right inside a chart or an axis.
fn title(node: Node<'_>) -> String {
    let title = node.children().find(|child| child.name() == "title");
    title.map(said).unwrap_or_default()
}

/// The words inside, which may be in several runs.
fn said(node: Node<'_>) -> String {
    let words = node
        .inside()
        .filter(|child| ["t", "v"].contains(&child.name()));
    one_line(&words.map(Node::text).collect::<String>()).replace('|', "/")
}

fn points(node: Node<'_>) -> Points {
    let format = node.find("formatCode").map(Node::text).unwrap_or_default();
    let mut points = Points::new();
    for point in node.inside().filter(|child| child.name() == "pt") {
        let text = shown(&said(point), format.contains('%'));
        let known = points
            .entry(point.number("idx").unwrap_or_default())
            .or_default();
        // The levels of a category are apart, the inner one first.
        *known = one_line(&format!("{text} {known}"));
    }
    points
}

fn row<'a>(first: &str, rest: impl Iterator<Item = &'a str>) -> String {
    format!("| {first} | {} |", rest.collect::<Vec<_>>().join(" | "))
}

/// A number as people read it: `4.3` for `4.2999999999999998`.
fn shown(text: &str, percent: bool) -> String {
    let number = text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
    match number {
        Some(number) if percent => format!("{}%", (number * 1e6).round() / 1e4),
        Some(number) if text.len() > 12 => ((number * 1e9).round() / 1e9).to_string(),
        _ => text.to_owned(),
    }
}
