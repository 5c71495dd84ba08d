//! Amounts as people write them: a whole number and a unit. *Not* sums such as `1h30m`.

use crate::rule::BrokenRule;
use std::fmt;

pub(crate) struct Units {
    /// Their names, for messages.
    pub(crate) names: &'static str,
    /// An amount that would be right.
    pub(crate) example: &'static str,
    /// How nothing is written.
    pub(crate) nothing: &'static str,
    /// Each unit with its size, largest first; the last one has size 1.
    pub(crate) sizes: [(&'static str, u64); 5],
}

impl Units {
    /// Writes an amount in the largest unit that divides it.
    pub(crate) fn write(&self, amount: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let divides = |(_, size): &&(&str, u64)| amount > 0 && amount.is_multiple_of(*size);
        match self.sizes.iter().find(divides) {
            Some((unit, size)) => write!(f, "{}{unit}", amount / size),
            None => f.write_str(self.nothing),
        }
    }

    /// Reads `30s` or `30 s`.
    pub(crate) fn read(&self, text: &str) -> Result<u64, BrokenRule> {
        let owned = || text.to_owned();
        let too_large = || BrokenRule::TooLarge { text: owned() };
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !c.is_ascii_digit());
        let (digits, unit) = trimmed.split_at(end.unwrap_or(trimmed.len()));
        let unit = unit.trim_start();
        if digits.is_empty() || unit.starts_with(['.', ',', '_']) {
            return Err(BrokenRule::NoNumber {
                text: owned(),
                example: self.example,
            });
        }
        if unit.is_empty() {
            return Err(BrokenRule::NoUnit {
                text: owned(),
                units: self.names,
            });
        }
        let number: u64 = digits.parse().map_err(|_| too_large())?;
        let Some((_, size)) = self.sizes.iter().find(|(name, _)| *name == unit) else {
            return Err(BrokenRule::UnknownUnit {
                text: owned(),
                unit: unit.to_owned(),
                units: self.names,
            });
        };
        number.checked_mul(*size).ok_or_else(too_large)
    }
}
