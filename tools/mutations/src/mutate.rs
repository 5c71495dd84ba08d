//! Makes sentences false. Each change returns `None` if it does not apply to the sentence.

use crate::case::Mutation;
use crate::find::{Dated, Figure, Named, dates, figures, names, words};
use crate::lists::{AUXILIARIES, COMPARATORS, COUNTED, INVENTED, NUMBERS, SUBORDINATE, UNITS};
use crate::reword::{is_quoted, place, replaced};
use text::months;

/// The data that a sentence is changed with.
pub(crate) struct Setting<'a> {
    pub(crate) sentence: &'a str,
    pub(crate) original: &'a str,
    pub(crate) passages: &'a [String],
}

/// How often another figure is tried before the change is given up.
const TRIES: usize = 20;

impl Setting<'_> {
    /// The sentence with one change of a kind.
    pub(crate) fn mutated(&self, mutation: Mutation, random: &mut fastrand::Rng) -> Option<String> {
        match mutation {
            Mutation::None | Mutation::Added => None,
            Mutation::NumberNowhere => {
                self.number(random, |figure, random| self.new_number(figure, random))
            }
            Mutation::NumberElsewhere => {
                self.number(random, |figure, random| self.other_number(figure, random))
            }
            Mutation::DateNowhere => self.date(random, |date, random| self.new_date(date, random)),
            Mutation::DateElsewhere => {
                self.date(random, |date, random| self.other_date(date, random))
            }
            Mutation::NameNowhere => {
                self.name(random, |name, random| Some(self.new_name(name, random)))
            }
            Mutation::NameElsewhere => {
                self.name(random, |name, random| self.other_name(name, random))
            }
            Mutation::NamesSwapped => self.swapped(random),
            Mutation::Unit => self.unit(random),
            Mutation::Comparator => self.comparator(),
            Mutation::Negation => self.negation(),
        }
    }

    fn number(
        &self,
        random: &mut fastrand::Rng,
        other: impl Fn(&Figure, &mut fastrand::Rng) -> Option<String>,
    ) -> Option<String> {
        let all = figures(self.sentence);
        // What stands there twice would still be there once.
        let is_once = |figure: &&Figure| {
            all.iter()
                .filter(|other| other.value == figure.value)
                .count()
                == 1
        };
        let once: Vec<&Figure> = all.iter().filter(is_once).collect();
        let figure = random.choice(once)?;
        let with = other(figure, random)?;
        Some(replaced(self.sentence, figure.digits.clone(), &with))
    }

    /// All numbers of the passages, in digits and in words.
    fn has_number(&self, value: f64) -> bool {
        self.passages.iter().any(|passage| {
            let digits = passage.split(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.'));
            let mut numbers = digits.filter_map(|run| {
                run.trim_matches([',', '.'])
                    .replace(',', "")
                    .parse::<f64>()
                    .ok()
            });
            let spelled = NUMBERS
                .iter()
                .zip(2..)
                .any(|(word, number)| f64::from(number) == value && place(passage, word).is_some());
            spelled || numbers.any(|number| number == value)
        })
    }

    fn new_number(&self, figure: &Figure, random: &mut fastrand::Rng) -> Option<String> {
        let written = &self.sentence[figure.digits.clone()];
        (0..TRIES).find_map(|_| {
            let changed: String = written
                .chars()
                .enumerate()
                .map(|(at, c)| match c {
                    '0'..='9' if at == 0 => char::from(b'1' + random.u8(0..9)),
                    '1'..='9' if random.bool() => char::from(b'0' + random.u8(0..10)),
                    other => other,
                })
                .collect();
            let value: f64 = changed.replace(',', "").parse().ok()?;
            // One that is nearly right may be meant to be a rough one.
            let is_far = (value - figure.value).abs() > 0.15 * figure.value.abs();
            (is_far && value > 1.0 && !self.has_number(value)).then_some(changed)
        })
    }

    fn other_number(&self, figure: &Figure, random: &mut fastrand::Rng) -> Option<String> {
        let own: Vec<f64> = figures(self.original)
            .iter()
            .chain(&figures(self.sentence))
            .map(|own| own.value)
            .collect();
        let mut others = Vec::new();
        for passage in self.passages {
            let alike = figures(passage).into_iter().filter(|other| {
                let is_far = (other.value - figure.value).abs() > 0.15 * figure.value.abs();
                other.shape == figure.shape
                    && is_far
                    && !own.contains(&other.value)
                    && other.value > 1.0
            });
            others.extend(alike.map(|other| passage[other.digits].to_owned()));
        }
        random.choice(others)
    }

    fn date(
        &self,
        random: &mut fastrand::Rng,
        other: impl Fn(&Dated, &mut fastrand::Rng) -> Option<Dated>,
    ) -> Option<String> {
        let date = random.choice(dates(self.sentence))?;
        let with = written(&other(&date, random)?);
        Some(replaced(self.sentence, date.at, &with))
    }

    fn new_date(&self, date: &Dated, random: &mut fastrand::Rng) -> Option<Dated> {
        let known: Vec<Dated> = self
            .passages
            .iter()
            .flat_map(|passage| dates(passage))
            .collect();
        (0..TRIES).find_map(|_| {
            let mut other = date.clone();
            match (date.parts(), random.u8(0..3)) {
                ((_, false, false), _) | ((true, _, _), 0) => {
                    other.year = Some(date.year? - random.u32(2..12))
                }
                ((_, true, true), 1) => other.day = Some(random.u32(1..29)),
                ((_, true, _), _) => other.month = Some(random.usize(1..13)),
                _ => {}
            }
            // A year that stands alone says as much as one in a date.
            let is_new = !known
                .iter()
                .any(|known| known.may_be(&other) && known.parts() >= other.parts());
            let year = other.year.map_or(String::new(), |year| year.to_string());
            let is_free = other.parts() != (true, false, false)
                || !self.passages.iter().any(|passage| passage.contains(&year));
            (other != *date && is_new && is_free).then_some(other)
        })
    }

    fn other_date(&self, date: &Dated, random: &mut fastrand::Rng) -> Option<Dated> {
        let own = dates(self.original);
        let known = self.passages.iter().flat_map(|passage| dates(passage));
        let others = known.filter(|other| {
            other.parts() == date.parts() && !own.iter().any(|own| own.may_be(other))
        });
        random.choice(others.collect::<Vec<_>>())
    }

    fn name(
        &self,
        random: &mut fastrand::Rng,
        other: impl Fn(&Named<'_>, &mut fastrand::Rng) -> Option<String>,
    ) -> Option<String> {
        let all = names(self.sentence);
        let is_once = |name: &&Named<'_>| {
            let parts = name.parts();
            let shares = |other: &&Named<'_>| other.parts().iter().any(|part| parts.contains(part));
            all.iter().filter(shares).count() == 1
        };
        let once: Vec<&Named<'_>> = all.iter().filter(is_once).collect();
        let name = random.choice(once)?;
        let with = other(name, random)?;
        Some(replaced(self.sentence, name.at.clone(), &with))
    }

    fn new_name(&self, name: &Named<'_>, random: &mut fastrand::Rng) -> String {
        let mut invented = INVENTED;
        random.shuffle(&mut invented);
        let count = if name.text.contains(' ') { 2 } else { 1 };
        invented[..count].join(" ")
    }

    fn other_name(&self, name: &Named<'_>, random: &mut fastrand::Rng) -> Option<String> {
        let lower = self.original.to_lowercase() + &self.sentence.to_lowercase();
        let count = |text: &str| text.split(' ').count().min(2);
        let mut others = Vec::new();
        for passage in self.passages {
            let free = names(passage).into_iter().filter(|other| {
                let is_named = other
                    .parts()
                    .iter()
                    .any(|part| lower.contains(part.as_str()));
                !is_named && count(other.text) == count(name.text) && other.text.len() >= 4
            });
            others.extend(free.map(|other| other.text.to_owned()));
        }
        random.choice(others)
    }

    /// Exchanges two names between which something happens.
    fn swapped(&self, random: &mut fastrand::Rng) -> Option<String> {
        /// Words between names that put both on one side, or that mean the same either way round.
        const EVEN: &str = "and or with between versus vs against & alongside from to while as like than including is was";
        let all = names(self.sentence);
        let mut pairs = Vec::new();
        for (place, one) in all.iter().enumerate() {
            for other in &all[place + 1..] {
                let between = &self.sentence[one.at.end..other.at.start];
                let count = between.split_whitespace().count();
                let is_even = between
                    .split_whitespace()
                    .any(|word| EVEN.split(' ').any(|even| even == word.trim_matches(',')));
                let is_apart = !one.parts().iter().any(|part| other.parts().contains(part));
                let is_plain = !between.contains([',', ';', ':', '(', '"', '“', '”', '—', '.']);
                if (2..=8).contains(&count)
                    && !is_even
                    && is_apart
                    && is_plain
                    && between.starts_with(' ')
                {
                    pairs.push((one.clone(), other.clone()));
                }
            }
        }
        let (one, other) = random.choice(pairs)?;
        let sentence = replaced(self.sentence, other.at, one.text);
        Some(replaced(&sentence, one.at, other.text))
    }

    fn unit(&self, random: &mut fastrand::Rng) -> Option<String> {
        let words = words(self.sentence);
        let is_number = |text: &str| {
            let body = text.trim_start_matches(['$', '€', '£']);
            body.starts_with(|c: char| c.is_ascii_digit())
                || NUMBERS.contains(&text.to_lowercase().as_str())
        };
        let mut changes: Vec<(std::ops::Range<usize>, String)> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |at| words[at].text);
            let behind = words.get(at + 1).map_or("", |word| word.text);
            let counts = is_number(before) && words[at - 1].marks.is_empty()
                || word.text == "EUR" && is_number(behind);
            let other = UNITS.iter().find(|(unit, _)| *unit == word.text && counts);
            changes.extend(other.map(|(_, other)| (word.at.clone(), (*other).to_owned())));
            if let Some(number) = word
                .text
                .strip_prefix('$')
                .filter(|number| is_number(number))
            {
                changes.push((word.at.clone(), format!("€{number}")));
            }
        }
        let (at, with) = random.choice(changes)?;
        Some(replaced(self.sentence, at, &with))
    }

    fn comparator(&self) -> Option<String> {
        COMPARATORS.iter().find_map(|(from, to)| {
            let at = place(self.sentence, from).filter(|at| at.start > 0)?;
            let behind = self.sentence[at.end..].trim_start();
            let next = behind.split(' ').next().unwrap_or_default();
            let is_number = next.starts_with(|c: char| c.is_ascii_digit() || "$€£".contains(c))
                || NUMBERS.contains(&next)
                || matches!(next, "EUR" | "half");
            let is_idiom = matches!(next, "all" | "that" | "then" | "long" | "the")
                && matches!(*from, "after" | "before")
                && next == "all"
                || behind.is_empty()
                || behind.starts_with([',', '.']);
            let is_right = !COUNTED.contains(from) || is_number;
            // `up to` and the like are left out, and so is what is denied: `not more than`.
            let before = self.sentence[..at.start].trim_end().to_lowercase();
            let is_denied = before.ends_with("no") || before.ends_with("not");
            (is_right && !is_idiom && !is_denied).then(|| replaced(self.sentence, at, to))
        })
    }

    /// Adds a negation to the verb of the main clause, or removes it.
    fn negation(&self) -> Option<String> {
        let words = words(self.sentence);
        for (at, word) in words.iter().enumerate() {
            let lower = word.text.to_lowercase().replace('’', "'");
            let is_other_clause = SUBORDINATE.contains(&lower.as_str())
                || is_quoted(self.sentence, word.at.start)
                || word.marks.contains([':', ';']);
            if is_other_clause {
                return None;
            }
            if let Some(verb) = lower
                .strip_suffix("n't")
                .filter(|verb| AUXILIARIES.contains(verb))
            {
                return Some(replaced(self.sentence, word.at.clone(), verb));
            }
            if !AUXILIARIES.contains(&lower.as_str()) || !word.marks.is_empty() || at == 0 {
                continue;
            }
            let next = words.get(at + 1)?;
            let behind = next.text.to_lowercase();
            if behind == "not" {
                let is_only = words
                    .get(at + 2)
                    .is_some_and(|word| matches!(word.text, "only" | "just"));
                return (!is_only).then(|| replaced(self.sentence, word.at.end..next.at.end, ""));
            }
            // `has a` takes another form, and `no` and `never` make two negations.
            let is_having = matches!(lower.as_str(), "has" | "have" | "had");
            let is_participle =
                behind.ends_with("ed") || behind.ends_with("en") || behind.ends_with("wn");
            let is_denied = words.iter().any(|word| {
                matches!(
                    word.text.to_lowercase().as_str(),
                    "no" | "never" | "none" | "neither" | "nor" | "without" | "hardly"
                )
            });
            if is_having && !is_participle
                || is_denied
                || matches!(behind.as_str(), "also" | "only" | "more" | "less" | "just")
            {
                return None;
            }
            return Some(replaced(self.sentence, word.at.end..word.at.end, " not"));
        }
        None
    }
}

/// A date in the most frequent notation.
fn written(date: &Dated) -> String {
    let month = date.month.map(|month| {
        let name = months::ENGLISH[month - 1];
        name[..1].to_uppercase() + &name[1..]
    });
    match (date.year, month, date.day) {
        (Some(year), Some(month), Some(day)) => format!("{month} {day}, {year}"),
        (Some(year), Some(month), None) => format!("{month} {year}"),
        (None, Some(month), Some(day)) => format!("{month} {day}"),
        (Some(year), _, _) => year.to_string(),
        (None, month, day) => format!("{} {}", month.unwrap_or_default(), day.unwrap_or_default()),
    }
}
