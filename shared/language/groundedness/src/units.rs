//! The units of numbers: what each unit measures, and its factor. *Not* here: how a number is parsed.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a unit measures, and how many of the smallest it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    /// Numbers of different dimensions are never equal.
    pub(crate) dimension: &'static str,
    /// How many base units it is.
    pub(crate) factor: f64,
}

/// Words and signs: dimension, factor, forms. Forms with a capital letter are compared as written, others in lower case.
const UNITS: &[(&str, f64, &str)] = &[
    (
        "length",
        1e-3,
        "mm millimetre millimetres millimeter millimeters",
    ),
    (
        "length",
        1e-2,
        "cm centimetre centimetres centimeter centimeters",
    ),
    ("length", 1.0, "m metre metres meter meters"),
    (
        "length",
        1e3,
        "km kilometre kilometres kilometer kilometers",
    ),
    ("length", 0.0254, "inch inches"),
    ("length", 0.3048, "ft foot feet"),
    ("length", 0.9144, "yd yard yards"),
    ("length", 1609.344, "mile miles"),
    ("mass", 1e-6, "mg milligram milligrams"),
    ("mass", 1e-3, "g gram grams"),
    ("mass", 1.0, "kg kilo kilos kilogram kilograms"),
    ("mass", 1e3, "t tonne tonnes"),
    ("mass", 907.185, "ton tons"),
    ("mass", 0.45359237, "lb lbs"),
    ("mass", 0.0283495, "oz ounce ounces"),
    (
        "volume",
        1e-3,
        "ml millilitre millilitres milliliter milliliters",
    ),
    ("volume", 1.0, "l litre litres liter liters"),
    ("volume", 3.78541, "gallon gallons"),
    ("volume", 0.24, "cup cups"),
    ("volume", 0.005, "tsp teaspoon teaspoons"),
    ("volume", 0.015, "tbsp tablespoon tablespoons"),
    ("time", 1e-3, "ms millisecond milliseconds"),
    ("time", 1.0, "s sec secs second seconds"),
    ("time", 60.0, "min mins minute minutes"),
    ("time", 3600.0, "h hr hrs hour hours"),
    ("time", 86400.0, "day days"),
    ("time", 604800.0, "week weeks"),
    // Months have no number of days: they and years are counted apart.
    ("months", 1.0, "month months"),
    ("months", 3.0, "quarter quarters"),
    ("months", 12.0, "year years yr yrs"),
    ("months", 120.0, "decade decades"),
    ("data", 1e3, "KB kb kilobytes"),
    ("data", 1e6, "MB mb megabyte megabytes"),
    ("data", 1e9, "GB gb gigabyte gigabytes"),
    ("data", 1e12, "TB tb terabyte terabytes"),
    ("voltage", 1e-3, "mV millivolt millivolts"),
    ("voltage", 1.0, "V volt volts"),
    ("voltage", 1e3, "kV kilovolt kilovolts"),
    ("current", 1e-6, "µA uA microampere microamperes"),
    (
        "current",
        1e-3,
        "mA milliamp milliamps milliampere milliamperes",
    ),
    ("current", 1.0, "A amp amps ampere amperes"),
    ("power", 1e-3, "mW milliwatt milliwatts"),
    ("power", 1.0, "W watt watts"),
    ("power", 1e3, "kW kilowatt kilowatts"),
    ("power", 1e6, "MW megawatt megawatts"),
    ("resistance", 1.0, "Ω ohm ohms"),
    ("resistance", 1e3, "kΩ kiloohm kiloohms"),
    ("frequency", 1.0, "Hz hertz"),
    ("frequency", 1e3, "kHz kilohertz"),
    ("frequency", 1e6, "MHz megahertz"),
    ("frequency", 1e9, "GHz gigahertz"),
    ("pressure", 1e3, "kPa kilopascal kilopascals"),
    ("pressure", 1e5, "bar bars"),
    ("pressure", 6894.76, "psi"),
    ("degrees celsius", 1.0, "°C celsius"),
    ("degrees fahrenheit", 1.0, "°F fahrenheit"),
    ("share", 1.0, "% percent pct"),
];

/// The units by their forms. Made once for the process: it is data that never changes.
static BY_FORM: LazyLock<HashMap<&'static str, Unit>> = LazyLock::new(|| {
    let each = UNITS.iter().flat_map(|(dimension, factor, forms)| {
        let unit = Unit {
            dimension,
            factor: *factor,
        };
        forms.split_ascii_whitespace().map(move |form| (form, unit))
    });
    each.collect()
});

/// The unit that a word is, as written.
pub(crate) fn unit(word: &str) -> Option<Unit> {
    // `M` is no metre, and `S` no second: one letter is compared as written.
    let lower = || BY_FORM.get(word.to_lowercase().as_str()).copied();
    let known = BY_FORM.get(word).copied();
    let is_lower = word.chars().all(char::is_lowercase);
    known.or_else(|| match is_lower || word.chars().count() <= 1 {
        true => None,
        false => lower(),
    })
}

/// An amount of money.
pub(crate) fn money(code: &'static str) -> Unit {
    Unit {
        dimension: code,
        factor: 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_told_by_their_forms() {
        let seconds = |word| unit(word).map(|unit| unit.factor);
        assert_eq!(seconds("Hours"), Some(3600.0));
        assert_eq!(seconds("mA"), Some(1e-3));
        assert_eq!(unit("M"), None);
        assert_eq!(unit("players"), None);
    }
}
