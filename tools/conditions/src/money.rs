//! Amounts in hundredths, the three currencies, and two formats of numbers.

/// A currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Currency {
    /// The euro.
    Eur,
    /// The dollar.
    Usd,
    /// The pound.
    Gbp,
}

impl Currency {
    /// Every one.
    pub const ALL: [Currency; 3] = [Currency::Eur, Currency::Usd, Currency::Gbp];

    /// The code.
    pub const fn code(self) -> &'static str {
        match self {
            Currency::Eur => "EUR",
            Currency::Usd => "USD",
            Currency::Gbp => "GBP",
        }
    }

    /// The sign.
    pub(crate) const fn sign(self) -> char {
        match self {
            Currency::Eur => '€',
            Currency::Usd => '$',
            Currency::Gbp => '£',
        }
    }

    /// The currency of a code.
    pub(crate) fn of(code: &str) -> Currency {
        let found = Currency::ALL.into_iter().find(|c| c.code() == code);
        found.expect("records hold codes of this list")
    }
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberNotation {
    /// `1,234.50`
    Point,
    /// `1.234,50`
    Comma,
}

/// Hundredths, with two decimals and separators between thousands.
pub(crate) fn grouped(hundredths: i64, notation: NumberNotation) -> String {
    let (thousands, decimal) = match notation {
        NumberNotation::Point => (',', '.'),
        NumberNotation::Comma => ('.', ','),
    };
    let sign = if hundredths < 0 { "-" } else { "" };
    let whole = (hundredths.abs() / 100).to_string();
    let mut text = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            text.push(thousands);
        }
        text.push(digit);
    }
    format!("{sign}{text}{decimal}{:02}", hundredths.abs() % 100)
}

/// Hundredths, with two decimals and without separators.
pub(crate) fn plain(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let n = hundredths.abs();
    format!("{sign}{}.{:02}", n / 100, n % 100)
}

/// Hundredths, without decimals that are zero: `12`, `3.3`.
pub(crate) fn short(hundredths: i64) -> String {
    let text = plain(hundredths);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_in_both_notations() {
        assert_eq!(grouped(123_456_750, NumberNotation::Point), "1,234,567.50");
        assert_eq!(grouped(123_456_750, NumberNotation::Comma), "1.234.567,50");
        assert_eq!(grouped(-99_905, NumberNotation::Point), "-999.05");
        assert_eq!(plain(-123_405), "-1234.05");
        assert_eq!(
            [short(1_200), short(330), short(100_000)],
            ["12", "3.3", "1000"]
        );
    }
}
