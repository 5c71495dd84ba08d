//! Merges conditions on one column into one, and finds those that contradict each other. Pure.
//!
//! Values of one column are alternatives, and so are days that `and` or `or` joins. Several bounds hold together. In a
//! comparison, and where spans of days lie apart, each condition is a side of its own.

use crate::amounts::Bound;
use crate::days::DayRange;
use crate::dictionary::{self, NAMED};
use crate::linked::{LinkedQuestion, QuestionCondition, Test};
use std::ops::Range;

/// The most values in one condition. Further values are dropped, and the result says so.
const THINGS_MAX: usize = 50;

/// Why a further value is dropped. The first 50 are a condition all the same.
pub const TOO_MANY_VALUES: &str = "more than 50 values of one column";

pub(crate) struct Joined {
    pub(crate) condition: QuestionCondition,
    /// The conjunction between this condition and the mention before it.
    pub(crate) link: Link,
    pub(crate) is_side: bool,
}

/// The conjunction between a mention and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    None,
    /// The word `and`, or a comma.
    And,
    /// `or`
    Or,
}

/// The outcome of merging a condition into another one on the same column.
enum Met {
    Merged,
    /// Documents may satisfy either condition, but not the same document both.
    Apart,
    /// No document can satisfy both.
    Contradicts,
    Dropped(&'static str),
}

pub(crate) fn take_in(new: Joined, question: &str, linked: &mut LinkedQuestion) {
    let Joined {
        condition: new,
        link,
        is_side,
    } = new;
    if is_side || linked.parts.iter().any(|part| is_on_one_column(part, &new)) {
        linked.parts.push(new);
        return;
    }
    // A document has several names, so the names do not merge into alternatives: `the 10-K of Acme for 2023` has all
    // three. Years do, because a document has one year in its name.
    let is_both = |known: &QuestionCondition| {
        let is_name = new.field == NAMED && !new.is_negated;
        match (is_year(&known.test), is_year(&new.test)) {
            (true, true) => false,
            (false, false) => is_name && link == Link::None,
            _ => is_name,
        }
    };
    let place = linked
        .conditions
        .iter()
        .rposition(|known| is_on_one_column(known, &new) && !is_both(known));
    let Some(place) = place else {
        linked.conditions.push(new);
        return;
    };
    let said = |span: &Range<usize>| question.get(span.clone()).unwrap_or_default().to_owned();
    let known = &mut linked.conditions[place];
    known.is_assumed |= new.is_assumed;
    match meet(known, &new, link) {
        Met::Merged => {
            for name in new.names {
                if !known.names.contains(&name) {
                    known.names.push(name);
                }
            }
        }
        Met::Apart => {
            let known = linked.conditions.remove(place);
            linked.parts.extend([known, new]);
        }
        Met::Contradicts => {
            let pair = (said(&known.span), said(&new.span));
            linked.contradictory.push(pair);
        }
        Met::Dropped(why) => {
            // The user has to know that the rest of a list is left out; the first such value says so.
            if why == TOO_MANY_VALUES && !linked.unread.iter().any(|(_, known)| *known == why) {
                linked.unread.push((said(&new.span), why));
            }
            linked.dropped.push((said(&new.span), why));
        }
    }
}

pub(crate) fn is_year(test: &Test) -> bool {
    matches!(test, Test::Is(things) if things.iter().flatten().all(|form| dictionary::is_year(form)))
}

fn is_on_one_column(one: &QuestionCondition, other: &QuestionCondition) -> bool {
    (&one.field, &one.bucket, one.is_negated) == (&other.field, &other.bucket, other.is_negated)
}

fn meet(known: &mut QuestionCondition, new: &QuestionCondition, link: Link) -> Met {
    if let Some(inside) = numbers_inside(&known.test, &new.test) {
        if inside.is_empty() {
            return Met::Apart;
        }
        known.test = Test::Number(inside);
        return Met::Merged;
    }
    let is_negated = known.is_negated;
    match (&mut known.test, &new.test) {
        (Test::Is(known), Test::Is(new)) => add(known, new),
        (Test::Number(known), Test::Number(new)) => add(known, new),
        (Test::Amount(known), Test::Amount(new)) => {
            let all: Vec<(Bound, f64)> = known.iter().chain(new).copied().collect();
            match (is_satisfiable(&all), link) {
                // `over 500 or over 1000` is over 500.
                (true, Link::Or) => match united(known, new) {
                    Some(united) => *known = united,
                    None => return Met::Dropped("every amount satisfies one of the two"),
                },
                (true, _) => *known = all,
                (false, Link::Or) => return Met::Apart,
                (false, _) => return Met::Contradicts,
            }
            Met::Merged
        }
        (Test::Days(known), Test::Days(new)) => {
            let both = intersection(*known, *new);
            let either = union(*known, *new);
            *known = match (
                link == Link::Or || link == Link::And && !is_open_pair(*known, *new),
                both,
                either,
            ) {
                (true, _, Some(either)) if is_open(either) => {
                    return Met::Dropped("every day satisfies one of the two");
                }
                (true, _, Some(either)) => either,
                (true, _, None) if !is_negated => return Met::Apart,
                (false, Some(both), _) => both,
                (false, None, Some(either)) => either,
                _ => return Met::Contradicts,
            };
            Met::Merged
        }
        _ => Met::Dropped("said of the same column in another way before"),
    }
}

fn add<T: Clone + PartialEq>(known: &mut Vec<T>, new: &[T]) -> Met {
    for thing in new {
        if known.len() >= THINGS_MAX {
            return Met::Dropped(TOO_MANY_VALUES);
        }
        if !known.contains(thing) {
            known.push(thing.clone());
        }
    }
    Met::Merged
}

/// The numbers that satisfy the bounds, if one test has numbers and the other has bounds.
fn numbers_inside(one: &Test, other: &Test) -> Option<Vec<f64>> {
    let (bounds, numbers) = match (one, other) {
        (Test::Amount(bounds), Test::Number(numbers))
        | (Test::Number(numbers), Test::Amount(bounds)) => (bounds, numbers),
        _ => return None,
    };
    let inside = numbers.iter().copied().filter(|number| {
        let exactly = (Bound::Exactly, *number);
        is_satisfiable(&bounds.iter().copied().chain([exactly]).collect::<Vec<_>>())
    });
    Some(inside.collect())
}

/// The bounds of the amounts that satisfy one of two overlapping tests; `None` if all do.
pub(crate) fn united(one: &[(Bound, f64)], other: &[(Bound, f64)]) -> Option<Vec<(Bound, f64)>> {
    let ((low, high), (other_low, other_high)) = (interval(one)?, interval(other)?);
    let looser = |one: End, other: End, is_first: bool| match one.0 == other.0 {
        true => (one.0, one.1 || other.1),
        false if is_first => one,
        false => other,
    };
    let low = looser(low, other_low, low.0 < other_low.0);
    let high = looser(high, other_high, high.0 > other_high.0);
    let lower = if low.1 { Bound::AtLeast } else { Bound::Over };
    let upper = if high.1 { Bound::AtMost } else { Bound::Under };
    let mut bounds = vec![(lower, low.0), (upper, high.0)];
    bounds.retain(|(_, number)| number.is_finite());
    (!bounds.is_empty()).then_some(bounds)
}

/// Whether one range has no end and the other no beginning, so that the two bounds are meant together.
fn is_open_pair(one: DayRange, other: DayRange) -> bool {
    let is_since = |range: DayRange| range.from.is_some() && range.until.is_none();
    let is_until = |range: DayRange| range.from.is_none() && range.until.is_some();
    is_since(one) && is_until(other) || is_until(one) && is_since(other)
}

fn is_open(range: DayRange) -> bool {
    range.from.is_none() && range.until.is_none()
}

fn intersection(one: DayRange, other: DayRange) -> Option<DayRange> {
    let from = one.from.max(other.from);
    let until = match (one.until, other.until) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    let is_some = from.is_none() || until.is_none() || from < until;
    is_some.then_some(DayRange { from, until })
}

/// The union of two ranges, if no day lies between them.
pub(crate) fn union(one: DayRange, other: DayRange) -> Option<DayRange> {
    let begins_in = |one: DayRange, other: DayRange| match (one.until, other.from) {
        (Some(until), Some(from)) => from <= until,
        _ => true,
    };
    (begins_in(one, other) && begins_in(other, one)).then(|| DayRange {
        from: one.from.zip(other.from).map(|(one, other)| one.min(other)),
        until: one
            .until
            .zip(other.until)
            .map(|(one, other)| one.max(other)),
    })
}

/// An end of a range of amounts, and whether it belongs to the range.
type End = (f64, bool);

fn is_satisfiable(bounds: &[(Bound, f64)]) -> bool {
    interval(bounds).is_some()
}

/// The range of the amounts that satisfy all bounds, if there are any.
fn interval(bounds: &[(Bound, f64)]) -> Option<(End, End)> {
    let (mut low, mut high) = ((f64::NEG_INFINITY, true), (f64::INFINITY, true));
    for (bound, number) in bounds {
        match bound {
            Bound::Over if *number >= low.0 => low = (*number, false),
            Bound::AtLeast if *number > low.0 => low = (*number, true),
            Bound::Under if *number <= high.0 => high = (*number, false),
            Bound::AtMost if *number < high.0 => high = (*number, true),
            Bound::Exactly => {
                let inside = low.0 <= *number && *number <= high.0;
                (low, high) = match inside {
                    true => ((*number, true), (*number, true)),
                    false => return None,
                };
            }
            _ => {}
        }
    }
    (low.0 < high.0 || low.0 == high.0 && low.1 && high.1).then_some((low, high))
}

/// Reports values that the question both asks for and negates.
pub(crate) fn contradictions(question: &str, linked: &mut LinkedQuestion) {
    let said = |span: &Range<usize>| question.get(span.clone()).unwrap_or_default().to_owned();
    let (not, are): (Vec<_>, Vec<_>) = linked.conditions.iter().partition(|one| one.is_negated);
    let mut found = Vec::new();
    for one in are {
        for other in &not {
            let is_one_column = one.field == other.field && one.bucket == other.bucket;
            let takes_back = match (&one.test, &other.test) {
                (Test::Is(things), Test::Is(not)) => things.iter().all(|thing| not.contains(thing)),
                (Test::Number(numbers), Test::Number(not)) => {
                    numbers.iter().all(|number| not.contains(number))
                }
                (Test::Days(days), Test::Days(not)) => intersection(*days, *not) == Some(*days),
                _ => false,
            };
            if is_one_column && takes_back {
                found.push((said(&one.span), said(&other.span)));
            }
        }
    }
    linked.contradictory.extend(found);
}
