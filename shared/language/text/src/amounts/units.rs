//! Units of amounts: what a unit measures, and which words of a column's name go with it. Pure.
//!
//! A month counts as 30 days and a year as 365, because contracts write `90 days` where people say three months. `mW`
//! and `MW` are the same in small letters, so they are converted to nothing.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a unit measures, and how much of the smallest unit it is.
pub type Scale = (&'static str, f64);

static SCALES: LazyLock<HashMap<&str, Scale>> = LazyLock::new(|| scales(both!(unit_scales)));
/// Words in names of columns that have a unit.
static COLUMNS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let lines = both!(unit_columns).into_iter().flat_map(str::lines);
    let columns = lines.filter_map(|line| line.split_once(':'));
    let columns = columns.flat_map(|(units, words)| {
        units
            .split_ascii_whitespace()
            .map(move |unit| (unit, words))
    });
    columns.collect()
});

/// The units of lists, whose lines say what a unit measures, its scale, and its forms.
pub fn scales(lists: impl IntoIterator<Item = &'static str>) -> HashMap<&'static str, Scale> {
    let lines = lists.into_iter().flat_map(str::lines);
    let scales = lines.flat_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let measured = words.next().unwrap_or_default();
        let scale = words.next().and_then(|scale| scale.parse().ok());
        words.map(move |unit| (unit, (measured, scale.unwrap_or(1.0))))
    });
    scales.collect()
}

/// A unit without the plural ending.
pub fn singular(unit: &str) -> &str {
    unit.strip_suffix('s').unwrap_or(unit)
}

/// What a unit measures, and how much of the smallest unit it is.
pub fn scale(unit: &str) -> Option<Scale> {
    let unit = unit.trim().to_lowercase();
    let form = if unit.len() > 2 {
        singular(&unit)
    } else {
        &unit
    };
    SCALES.get(form).copied()
}

/// Words in names of columns that have a unit, given in lower case.
pub fn columns(unit: &str) -> &'static str {
    COLUMNS.get(unit).copied().unwrap_or_default()
}
