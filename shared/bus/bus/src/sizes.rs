//! Decides the size of each stream from the wanted size, the existing stream and the room that the server offers.
//! Pure: `bus-nats` reads these figures from the server and applies the result.
//!
//! A size that an operator has set is kept, or setting up fails. A size that no operator has set is *elastic*: the
//! stream is made smaller where the server has less room, and one that exists stays as it is where it is large
//! enough. A stream that was made smaller has the size that was wanted in its metadata, so that a later check does not
//! report a difference.
//!
//! All figures are values of `max_bytes`, which count one copy. A server compares them with its own room, but an
//! account's limit counts all copies ([`of_account`]).

use std::collections::BTreeSet;

const MIB: u64 = 1024 * 1024;
/// The least that an elastic stream is made with: some thirty of the largest messages.
const LEAST: u64 = 32 * MIB;
/// This part of what is offered is left, for what else the server keeps.
const SPARE: u64 = 16;

/// What setting up may change about the room of the streams. The default allows no change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Streams and object stores whose size no operator has set.
    pub elastic: BTreeSet<String>,
    /// The most bytes that may be reserved beyond those reserved already; `None` for no limit but the server's.
    pub most: Option<u64>,
}

/// A stream that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedStream {
    /// The name of the stream or object store.
    pub name: String,
    /// The size that is wanted, in bytes.
    pub wanted: u64,
    /// What is enough of it while others lack room; a stream that has this much is left as it is.
    pub enough: u64,
    /// Whether the size may be reduced, because no operator has set it.
    pub is_elastic: bool,
    /// The existing stream, if there is one.
    pub found: Option<ExistingStream>,
}

/// A stream that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExistingStream {
    /// Bytes that it may hold; `u64::MAX` where it has no limit.
    pub max_bytes: u64,
    /// The size that was wanted when the stream was made smaller for lack of room.
    pub scaled_from: Option<u64>,
}

/// The size that a stream is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamSize {
    /// Bytes that it may hold.
    pub bytes: u64,
    /// The wanted size, where the stream is smaller for lack of room.
    pub scaled_from: Option<u64>,
}

/// There is not enough room even for the smallest possible sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortage {
    /// Bytes that the wanted sizes need beyond the existing ones.
    pub wanted: u64,
    /// Bytes that are offered.
    pub offered: u64,
    /// Bytes that the smallest possible sizes would need.
    pub least: u64,
}

impl WantedStream {
    fn found_bytes(&self) -> u64 {
        self.found.map_or(0, |found| found.max_bytes)
    }

    /// Bytes that the server has to promise beyond what it promises now.
    fn growth(&self, size: StreamSize) -> u64 {
        size.bytes.saturating_sub(self.found_bytes())
    }

    /// The least that it may be made with.
    fn least(&self) -> u64 {
        self.found_bytes().max(LEAST.min(self.wanted))
    }

    /// What is enough of it, and never less than it may be made with.
    fn enough(&self) -> u64 {
        self.least().max(self.enough.min(self.wanted))
    }
}

/// The sizes when there is enough room. `each` is the most that an account allows for a stream.
pub fn whole(parts: &[WantedStream], each: Option<u64>) -> Vec<StreamSize> {
    parts.iter().map(|part| whole_of(part, each)).collect()
}

fn whole_of(part: &WantedStream, each: Option<u64>) -> StreamSize {
    let wanted = part.wanted;
    let as_wanted = StreamSize {
        bytes: wanted,
        scaled_from: None,
    };
    if !part.is_elastic {
        return as_wanted;
    }
    let enough = part.enough.min(wanted);
    match part.found {
        // It was found out before that there is no more; for a release that wants more there is no more either.
        Some(found)
            if found.max_bytes < wanted
                && found
                    .scaled_from
                    .is_some_and(|from| (enough..=wanted).contains(&from)) =>
        {
            StreamSize {
                bytes: found.max_bytes,
                scaled_from: found.scaled_from,
            }
        }
        // A release that wants more than the one before takes no room that it was not given.
        Some(found) if found.max_bytes >= enough => StreamSize {
            bytes: found.max_bytes,
            scaled_from: None,
        },
        _ => match each.filter(|each| *each < wanted) {
            Some(each) => StreamSize {
                bytes: each,
                scaled_from: Some(wanted),
            },
            None => as_wanted,
        },
    }
}

/// Bytes that the server has to reserve for these sizes beyond those reserved now.
pub fn growth(parts: &[WantedStream], sizes: &[StreamSize]) -> u64 {
    let pairs = parts.iter().zip(sizes);
    pairs.fold(0, |sum: u64, (part, size)| {
        sum.saturating_add(part.growth(*size))
    })
}

/// Bytes that have to be offered for the smallest possible sizes of all parts, including those that an operator has
/// set.
pub fn least(parts: &[WantedStream]) -> u64 {
    let growth = parts.iter().map(|part| part.least() - part.found_bytes());
    let needed = growth.fold(0, u64::saturating_add);
    needed.saturating_add(needed.div_ceil(SPARE - 1))
}

/// Whether any part of this growth could be smaller.
pub fn can_give_way(parts: &[WantedStream], sizes: &[StreamSize]) -> bool {
    let mut pairs = parts.iter().zip(sizes);
    pairs.any(|(part, size)| part.is_elastic && part.growth(*size) > 0)
}

/// The sizes that fit into the room on offer, in whole MiB. Sizes that an operator has set come first. The elastic ones
/// share the rest in proportion to what is enough of each, and what is more than that in proportion to what they want
/// beyond.
///
/// # Errors
/// [`Shortage`] when the set sizes and the minimum of all others are more than is offered.
pub fn fit(
    parts: &[WantedStream],
    each: Option<u64>,
    offered: u64,
) -> Result<Vec<StreamSize>, Shortage> {
    let mut sizes = whole(parts, each);
    let wanted = growth(parts, &sizes);
    if wanted <= offered {
        return Ok(sizes);
    }
    let gives_way: Vec<bool> = parts
        .iter()
        .zip(&sizes)
        .map(|(part, size)| part.is_elastic && part.growth(*size) > 0)
        .collect();
    let usable = offered - offered / SPARE;
    let ranges = |low: fn(&WantedStream) -> u64, high: fn(&WantedStream) -> u64| {
        let all = parts.iter().zip(&sizes).zip(&gives_way);
        let ranges = all.map(|((part, size), gives)| match gives {
            true => (low(part).min(size.bytes), high(part).min(size.bytes)),
            false => (size.bytes, size.bytes),
        });
        ranges.collect::<Vec<_>>()
    };
    let mut between = ranges(WantedStream::enough, |part| part.wanted);
    if needed(parts, &between) > usable {
        between = ranges(WantedStream::least, WantedStream::enough);
    }
    let needed = needed(parts, &between);
    let spread = between.iter().map(|(low, high)| high - low);
    let spread = spread.fold(0, u64::saturating_add);
    if needed > usable || spread == 0 {
        return Err(Shortage {
            wanted,
            offered,
            least: least(parts),
        });
    }
    let left = usable - needed;
    let ranges = between.into_iter().zip(gives_way);
    for ((part, size), ((low, high), gives)) in parts.iter().zip(&mut sizes).zip(ranges) {
        if gives {
            let bytes = (low + part_of(left, high - low, spread)) / MIB * MIB;
            let bytes = bytes.max(low).min(size.bytes);
            let scaled_from = (bytes < part.wanted).then_some(part.wanted);
            *size = StreamSize { bytes, scaled_from };
        }
    }
    Ok(sizes)
}

/// Bytes that have to be offered for the lower ends of these ranges.
fn needed(parts: &[WantedStream], ranges: &[(u64, u64)]) -> u64 {
    let pairs = parts.iter().zip(ranges);
    let needed = pairs.map(|(part, (low, _))| low.saturating_sub(part.found_bytes()));
    needed.fold(0, u64::saturating_add)
}

/// `amount` times `part` in `whole`.
fn part_of(amount: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(amount) * u128::from(part) / u128::from(whole.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

/// The room that an account offers for streams with this number of copies: `max` bytes, of which `reserved` are
/// taken. Each copy counts, unless the limit is that of a tier. A negative limit means none.
pub fn of_account(
    max: Option<i64>,
    reserved: u64,
    replicas: u8,
    counts_each_copy: bool,
) -> Option<u64> {
    let max = u64::try_from(max?).ok()?;
    let copies = if counts_each_copy { replicas.max(1) } else { 1 };
    Some(max.saturating_sub(reserved) / u64::from(copies))
}

/// An amount of bytes as text for people.
pub fn told(bytes: u64) -> String {
    const GIB: u64 = 1024 * MIB;
    match bytes {
        u64::MAX => "no limit".into(),
        GIB.. if bytes.is_multiple_of(GIB) => format!("{} GiB", bytes / GIB),
        GIB.. => format!("{:.1} GiB", bytes as f64 / GIB as f64),
        MIB.. => format!("{} MiB", bytes / MIB),
        _ => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
#[path = "sizes_tests.rs"]
mod tests;
