//! The systems that can be asked, by name.

use envelope::ModeChoice;
use std::fmt;
use std::str::FromStr;

/// A system that is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum System {
    /// One search and one prompt, with so many passages: `plain-7`.
    Plain(usize),
    /// The same with passages of the right documents alone: the ceiling of the model.
    Oracle,
    /// The model without passages: its floor.
    Closed,
    /// A fleet in a mode: `agentic`, `simple`, `auto` or `loop`.
    Fleet(&'static str),
    /// A fleet with the offline reader, which is no language model.
    Offline,
}

/// Most passages of a plain system.
const PASSAGES_MAX: usize = 20;

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            System::Plain(passages) => write!(f, "plain-{passages}"),
            System::Oracle => f.write_str("oracle"),
            System::Closed => f.write_str("closed"),
            System::Fleet(mode) => f.write_str(mode),
            System::Offline => f.write_str("offline"),
        }
    }
}

impl FromStr for System {
    type Err = String;

    fn from_str(name: &str) -> Result<System, String> {
        if let Some(passages) = name.strip_prefix("plain-") {
            let passages = passages.parse().ok();
            let passages = passages.filter(|count| (1..=PASSAGES_MAX).contains(count));
            return passages.map(System::Plain).ok_or_else(|| {
                format!("`{name}`: want 1 to {PASSAGES_MAX} passages, as in `plain-7`")
            });
        }
        let mode = ModeChoice::WORDS.into_iter().find(|mode| *mode == name);
        match (name, mode) {
            ("oracle", _) => Ok(System::Oracle),
            ("closed", _) => Ok(System::Closed),
            ("offline", _) => Ok(System::Offline),
            (_, Some(mode)) => Ok(System::Fleet(mode)),
            _ => Err(format!(
                "`{name}`: want plain-N, oracle, closed, offline, {}",
                ModeChoice::WORDS.join(", ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in [
            "plain-7", "oracle", "closed", "agentic", "simple", "auto", "loop", "offline",
        ] {
            assert_eq!(name.parse::<System>().unwrap().to_string(), name);
        }
        for name in ["plain-0", "plain-99", "plain-x", "best", ""] {
            assert!(name.parse::<System>().is_err(), "{name}");
        }
    }
}
