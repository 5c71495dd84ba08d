//! An amount of bytes as people write it: a whole number and a binary unit. Decimal units are refused rather than
//! guessed: `1GB` means two things.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::rule::{BrokenRule, within};
use crate::units::Units;

const UNITS: Units = Units {
    names: "B, KiB, MiB, GiB or TiB",
    example: "256KiB",
    nothing: "0B",
    sizes: [
        ("TiB", 1 << 40),
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
        ("B", 1),
    ],
};

/// An amount of bytes: read from `512B`, `256KiB`, `4MiB`, `1GiB` or `1TiB`, and shown in the largest
/// unit that divides it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSize {
    bytes: u64,
}

impl ByteSize {
    /// So many bytes.
    pub const fn from_bytes(bytes: u64) -> Self {
        Self { bytes }
    }

    /// So many MiB (1,024 times 1,024 bytes); saturates.
    pub const fn from_mib(mib: u64) -> Self {
        Self::from_bytes(mib.saturating_mul(1 << 20))
    }

    /// In bytes.
    pub const fn bytes(self) -> u64 {
        self.bytes
    }

    /// In bytes, for lengths in memory; saturates where an address is shorter than 64 bits.
    pub fn as_usize(self) -> usize {
        usize::try_from(self.bytes).unwrap_or(usize::MAX)
    }

    /// The size itself when it lies within the bounds, which are included.
    ///
    /// # Errors
    /// [`BrokenRule::OutOfRange`] names both bounds.
    pub fn within(self, min: ByteSize, max: ByteSize) -> Result<ByteSize, BrokenRule> {
        within(self, min, max)
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        UNITS.write(self.bytes, f)
    }
}

impl FromStr for ByteSize {
    type Err = BrokenRule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        UNITS.read(text).map(Self::from_bytes)
    }
}

impl Serialize for ByteSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shows_the_largest_unit_that_divides() {
        assert_eq!(ByteSize::from_bytes(0).to_string(), "0B");
        assert_eq!(ByteSize::from_bytes(256 << 10).to_string(), "256KiB");
        assert_eq!(ByteSize::from_mib(2).to_string(), "2MiB");
        assert_eq!(ByteSize::from_mib(1024).to_string(), "1GiB");
        assert_eq!(ByteSize::from_bytes(1025).to_string(), "1025B");
    }

    #[test]
    fn names_the_broken_rule() {
        let error = |text: &str| text.parse::<ByteSize>().unwrap_err().to_string();
        assert_eq!(
            error("1GB"),
            "`1GB` has an unknown unit `GB`: use B, KiB, MiB, GiB or TiB"
        );
        assert_eq!(error("7"), "`7` needs a unit: B, KiB, MiB, GiB or TiB");
        assert_eq!(
            error("-1B"),
            "`-1B` must start with a whole number, like `256KiB`"
        );
        assert_eq!(error("99999999TiB"), "`99999999TiB` is too large");
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(bytes in any::<u64>()) {
            let size = ByteSize::from_bytes(bytes);
            prop_assert_eq!(size.to_string().parse::<ByteSize>(), Ok(size));
        }
    }
}
