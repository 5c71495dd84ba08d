//! How well a unit of a passage answers a question: shared words, weighed, with a bonus for the kind
//! of answer that is wanted. No statistics of a corpus go in, so a passage scores alike everywhere.

use super::lexicon::{Lexicon, akin};
use super::question::{Kind, Question, Term, is_year, squash};
use super::units::{self, Unit, UnitKind};
use llm::words;

/// What the words of neighbours count: the sentence before, or the head of the table.
const BEFORE: f32 = 0.6;
/// The same when the sentence before is a question.
const BEFORE_QUESTION: f32 = 0.9;
/// The heading above.
const HEADING: f32 = 0.7;
/// Title and source.
const TITLE: f32 = 0.6;
/// What the wanted kind of answer adds.
const CUE: f32 = 0.25;

/// A text, ready to be looked up in.
#[derive(Debug, Default)]
pub(super) struct Bag {
    runs: Vec<String>,
    keys: Vec<String>,
}

impl Bag {
    pub(super) fn new(lexicon: &Lexicon, text: &str) -> Bag {
        Bag {
            runs: words::runs(text).map(str::to_lowercase).collect(),
            keys: lexicon.keys(text),
        }
    }

    /// How well it holds a term, 0 to 1.
    pub(super) fn holds(&self, term: &Term) -> f32 {
        let held = match term.kind {
            Kind::Identifier => self.spells(&unclear(&term.key), unclear),
            Kind::Number => self.spells(&term.key, str::to_owned),
            _ if self.keys.contains(&term.key) => true,
            _ if self.keys.iter().any(|key| akin(key, &term.key)) => return 0.8,
            _ => false,
        };
        f32::from(u8::from(held))
    }

    /// Whether neighbouring runs, put together, are exactly `wanted`: `INV-20` is not in `INV-2041`.
    fn spells(&self, wanted: &str, fold: impl Fn(&str) -> String) -> bool {
        (0..self.runs.len()).any(|at| {
            let mut rest = wanted;
            for run in &self.runs[at..] {
                match rest.strip_prefix(fold(run).as_str()) {
                    Some("") => return true,
                    Some(more) => rest = more,
                    None => return false,
                }
            }
            false
        })
    }

    fn years(&self) -> impl Iterator<Item = &String> {
        self.runs.iter().filter(|run| is_year(run))
    }
}

/// Letters that scanners take for digits, as digits.
fn unclear(text: &str) -> String {
    let fold = |c| match c {
        'o' => '0',
        'l' | 'i' => '1',
        other => other,
    };
    text.chars().map(fold).collect()
}

/// A passage, read against one question.
pub(super) struct Reading<'a> {
    pub(super) units: Vec<Unit>,
    bags: Vec<Bag>,
    title: Bag,
    whole: Bag,
    question: &'a Question,
    lexicon: &'a Lexicon,
}

/// A unit and how well it answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    /// Index of the unit.
    pub(super) at: usize,
    pub(super) score: f32,
    /// Share of the plain terms that it or its surroundings hold.
    pub(super) reach: f32,
    /// Whether it holds the wanted kind of answer.
    pub(super) cue: bool,
}

impl<'a> Reading<'a> {
    /// Reads a passage; `title` holds title and source.
    pub(super) fn new(
        lexicon: &'a Lexicon,
        question: &'a Question,
        title: &str,
        text: &str,
    ) -> Self {
        let units = units::split(text);
        Self::of_units(lexicon, question, title, units)
    }

    pub(super) fn of_units(
        lexicon: &'a Lexicon,
        question: &'a Question,
        title: &str,
        units: Vec<Unit>,
    ) -> Self {
        let bags: Vec<Bag> = units.iter().map(|u| Bag::new(lexicon, &u.text)).collect();
        let mut whole = Bag::new(lexicon, title);
        for bag in &bags {
            whole.runs.extend(bag.runs.iter().cloned());
            whole.keys.extend(bag.keys.iter().cloned());
        }
        Reading {
            title: Bag::new(lexicon, title),
            units,
            bags,
            whole,
            question,
            lexicon,
        }
    }

    /// Whether the passage is about what the question names: its identifiers, most of its names, one
    /// of its years. A comparison needs one of each kind.
    pub(super) fn is_about(&self) -> bool {
        let of = |wanted: fn(&Term) -> bool| {
            let mut all = self.question.terms.iter().filter(|t| wanted(t)).peekable();
            let asked = all.peek().is_some();
            let (held, missing): (Vec<&Term>, Vec<&Term>) =
                all.partition(|term| self.whole.holds(term) > 0.0);
            (asked, held.len(), missing.len())
        };
        let (asked, held, missing) = of(|t| t.kind == Kind::Identifier);
        let identified = !asked || (missing == 0) || (self.question.compares && held > 0);
        let (asked, held, _) = of(Term::is_year);
        let dated = !asked || held > 0;
        identified && dated && self.is_named()
    }

    /// Half of the names that stand next to one another make one known; half of those that are asked
    /// for have to be known.
    fn is_named(&self) -> bool {
        let names = || self.question.terms.iter().filter(|t| t.kind == Kind::Name);
        let mut runs: Vec<usize> = names().map(|t| t.run).collect();
        runs.dedup();
        let known = |run: &&usize| {
            let of_run = || names().filter(|t| t.run == **run);
            let held = of_run().filter(|t| self.whole.holds(t) > 0.0).count();
            held * 2 >= of_run().count()
        };
        let held = runs.iter().filter(known).count();
        match self.question.compares {
            true => runs.is_empty() || held > 0,
            false => held * 2 >= runs.len(),
        }
    }

    /// Every unit that could answer, best first.
    pub(super) fn ranked(&self) -> Vec<Scored> {
        let mut ranked: Vec<Scored> = (0..self.units.len())
            .filter(|&at| !matches!(self.units[at].kind, UnitKind::Heading | UnitKind::Head))
            .map(|at| self.score(at))
            .collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
        ranked
    }

    fn score(&self, at: usize) -> Scored {
        let unit = &self.units[at];
        let (mut sum, mut plain, mut reached) = (0.0, 0.0, 0.0);
        let mut estranged = false;
        for term in &self.question.terms {
            let held = self.held(at, term);
            sum += term.weight() * held;
            if matches!(term.kind, Kind::Plain) {
                plain += term.weight();
                reached += if held > 0.0 { term.weight() } else { 0.0 };
            }
            estranged |= held == 0.0 && self.is_of_another(term);
        }
        let weight = self.question.weight().max(0.1);
        let cue = self.question.wants.met_by(self.lexicon, &unit.text);
        let mut score = sum / weight;
        if cue {
            score += CUE;
        } else if self.question.wants.is_strict() {
            score *= 0.6;
        }
        if unit.text.ends_with('?') {
            score *= 0.4;
        }
        if estranged && !self.question.compares {
            score *= 0.3;
        }
        let reach = if plain > 0.0 { reached / plain } else { 1.0 };
        Scored {
            at,
            score,
            reach,
            cue,
        }
    }

    /// How well a unit holds a term, itself or through what it stands with.
    fn held(&self, at: usize, term: &Term) -> f32 {
        let unit = &self.units[at];
        let own = self.bags[at].holds(term);
        let through = |other: Option<usize>, share: f32| {
            other.map_or(0.0, |other| share * self.bags[other].holds(term))
        };
        let before = match unit.before {
            Some(before) if self.units[before].text.ends_with('?') => BEFORE_QUESTION,
            _ => BEFORE,
        };
        own.max(through(unit.before, before))
            .max(through(unit.heading, HEADING))
            .max(TITLE * self.title.holds(term))
    }

    /// Whether the passage is, by its title, of another part or year than the term names: then only
    /// units that name the term themselves speak of it.
    fn is_of_another(&self, term: &Term) -> bool {
        match term.kind {
            Kind::Identifier => {
                let stem: String = term.key.chars().take(3).collect();
                let kin = |run: &String| {
                    run.starts_with(&stem) && run.contains(|c: char| c.is_ascii_digit())
                };
                let joined = self.title.runs.windows(2).map(|w| squash(&w.concat()));
                self.title.runs.iter().any(kin) || joined.into_iter().any(|run| kin(&run))
            }
            Kind::Number if term.is_year() => self.title.years().next().is_some(),
            _ => false,
        }
    }
}
