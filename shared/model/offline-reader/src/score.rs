//! Scores how well a unit of a passage answers a question: shared words, weighted, with a bonus for the wanted kind of
//! answer. It uses no statistics of the corpus, so a passage gets the same score everywhere.

use super::bag::{Bag, Sought, Words};
use super::cues::Wants;
use super::fitted::Signs;
use super::lexicon::Lexicon;
use super::question::{Kind, Question, Term};
use super::units::{self, Unit, UnitKind};
use std::ops::Range;
use text::{Language, words};

/// What words around a unit count, as a share of those in it: the sentence before, or the head of
/// the table.
const BEFORE: f32 = 0.6;
/// The same when the sentence before is a question.
const BEFORE_QUESTION: f32 = 0.9;
/// What the paragraph opens with.
const LEAD: f32 = 0.9;
/// The heading above.
const HEADING: f32 = 0.7;
/// Title and source.
const TITLE: f32 = 0.5;
/// Title and source, for what tells which document is meant.
const TITLE_SPECIFIC: f32 = 0.9;
/// What names, identifiers and years count in all, beside the other words: they tell the document,
/// seldom the sentence.
const NAMED: f32 = 0.25;
/// What a pair of characters counts that stands nowhere in a passage: about half of them reach over the end of a word.
const UNHELD_PAIR: f32 = 0.5;
/// What the wanted kind of answer adds.
const CUE: f32 = 0.25;

/// What stands between the title and a sentence from the beginning of the document.
const FRONT_MARK: &str = " … ";

/// Units in which the language of a passage shows.
const UNITS_READ: usize = 12;

/// A passage, read once for all questions.
pub(super) struct Passage<'l> {
    pub(super) units: Vec<Unit>,
    words: Words<'l>,
    title: Range<usize>,
    /// What stands at the beginning of the document.
    front: Range<usize>,
    /// The words of each unit.
    bags: Vec<Range<usize>>,
}

impl<'l> Passage<'l> {
    /// Reads a passage; `title` holds title and source, and behind dots what the beginning of the document says.
    pub(super) fn new(lexicon: &'l Lexicon, title: &str, text: &str) -> Self {
        Self::of_units(lexicon, title, units::split(text))
    }

    pub(super) fn of_units(lexicon: &'l Lexicon, title: &str, units: Vec<Unit>) -> Self {
        // What the units say, and not a title, which is too short to show a language.
        let shown: Vec<&str> = units
            .iter()
            .take(UNITS_READ)
            .map(|unit| &*unit.text)
            .collect();
        let mut words = Words::new(lexicon, Language::of(&shown.join(" ")));
        let (title, front) = title.split_once(FRONT_MARK).unwrap_or((title, ""));
        let (title, front) = (words.add(title), words.add(front));
        let bags = units.iter().map(|unit| words.add(&unit.text)).collect();
        Passage {
            units,
            words,
            title,
            front,
            bags,
        }
    }

    fn title(&self) -> Bag<'_> {
        self.words.bag(self.title.clone())
    }

    fn front(&self) -> Bag<'_> {
        self.words.bag(self.front.clone())
    }

    fn text(&self) -> Bag<'_> {
        let all = self.words.all().len();
        self.words.bag(self.front.end..all)
    }

    fn bag(&self, unit: usize) -> Bag<'_> {
        self.words.bag(self.bags[unit].clone())
    }

    /// What of a term's weight counts, where no capitals and no lists of words tell: the less, the more units hold it, as
    /// an index counts words, and little for a pair of characters that stands nowhere, since it may be no word.
    fn telling(&self, sought: &Sought<'_>) -> f32 {
        let all = self.units.len();
        let with = (0..all)
            .filter(|unit| self.bag(*unit).holds(sought) > 0.0)
            .count();
        match with {
            0 if sought.term.text.contains(words::is_cut) => UNHELD_PAIR,
            0 => 1.0,
            _ => (1.0 + all as f32 / with as f32).ln() / (1.0 + all as f32).ln(),
        }
    }
}

/// A passage, read against one question.
pub(super) struct Reading<'a> {
    passage: &'a Passage<'a>,
    question: &'a Question,
    sought: Vec<Sought<'a>>,
    /// For each term, what of its weight counts in this passage.
    telling: Vec<f32>,
}

/// A unit and how well it answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    /// Index of the unit.
    pub(super) at: usize,
    pub(super) score: f32,
    /// Share of the plain terms that it or its surroundings hold.
    pub(super) reach: f32,
}

impl<'a> Reading<'a> {
    pub(super) fn new(passage: &'a Passage<'a>, question: &'a Question) -> Self {
        let sought: Vec<Sought<'_>> = question.terms.iter().map(Sought::new).collect();
        let telling = match passage.words.all().language() {
            Language::English => vec![1.0; sought.len()],
            _ => sought.iter().map(|one| passage.telling(one)).collect(),
        };
        Reading {
            passage,
            question,
            sought,
            telling,
        }
    }

    /// Whether the passage is about what the question names: it has what things are told apart by, and half of the names. In
    /// languages without a list of names, these only make it likelier.
    pub(super) fn is_about(&self) -> bool {
        self.is_of_it() && (self.is_foreign() || self.is_named())
    }

    /// Whether the passage has the identifiers of the question, one of its years, and no other line, room or version. A
    /// comparison needs one of each kind.
    fn is_of_it(&self) -> bool {
        let missing_all = |wanted: fn(&Term) -> bool| {
            let mut asked = self.sought(wanted).peekable();
            asked.peek().is_some() && asked.all(|t| self.misses(t))
        };
        let unidentified = match self.question.compares {
            true => missing_all(is_code),
            false => self.sought(is_code).any(|t| self.misses(t)),
        };
        // The beginning of a document may name other lines than the passage is about.
        let own = [self.passage.title(), self.passage.text()];
        let elsewhere = self.sought(|t| t.kind == Kind::Label).any(|t| {
            let labelled = own.iter().any(|bag| bag.labels_another(t.term));
            self.misses(t) && labelled && !self.question.compares
        });
        !unidentified && !missing_all(Term::is_year) && !elsewhere
    }

    fn sought(&self, wanted: fn(&Term) -> bool) -> impl Iterator<Item = &Sought<'a>> {
        self.sought.iter().filter(move |s| wanted(s.term))
    }

    /// Whether a term stands nowhere in the passage.
    fn misses(&self, sought: &Sought<'_>) -> bool {
        self.passage.words.all().holds(sought) == 0.0
    }

    /// Names that stand next to one another are one, known by its first word: "Solvents" alone does
    /// not make "Brightwater Solvents". Half of those that are asked for have to be known.
    fn is_named(&self) -> bool {
        let mut runs: Vec<&Sought<'_>> = self.sought(|t| t.kind == Kind::Name).collect();
        runs.dedup_by_key(|s| s.term.run);
        let known = runs.iter().filter(|s| !self.misses(s)).count();
        match self.question.compares {
            true => runs.is_empty() || known > 0,
            false => known * 2 >= runs.len(),
        }
    }

    /// Whether the passage is in a language without lists of names and of words that mean the same.
    pub(super) fn is_foreign(&self) -> bool {
        self.passage.words.all().language() != Language::English
    }

    /// What a term counts in this passage.
    fn weight(&self, term: usize) -> f32 {
        self.question.terms[term].weight() * self.telling[term]
    }

    /// Every unit that could answer, best first.
    pub(super) fn ranked(&self) -> Vec<Scored> {
        let held = Held::of(self);
        let mut ranked: Vec<Scored> = (0..self.passage.units.len())
            .filter(|&at| {
                !matches!(
                    self.passage.units[at].kind,
                    UnitKind::Heading | UnitKind::Head
                )
            })
            .map(|at| self.score(at, &held.by(at)))
            .collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
        ranked
    }

    /// `held` says how well the unit holds each term, itself or through what it stands with.
    fn score(&self, at: usize, held: &[f32]) -> Scored {
        if self.is_foreign() {
            let score = self.fitted(at, held).score();
            return Scored {
                at,
                score,
                reach: 1.0,
            };
        }
        let unit = &self.passage.units[at];
        let share = |specific: bool| {
            let terms =
                || (0..held.len()).filter(|&n| self.question.terms[n].is_specific() == specific);
            let weight: f32 = terms().map(|n| self.weight(n)).sum();
            let held: f32 = terms().map(|n| self.weight(n) * held[n]).sum();
            (weight > 0.0).then(|| held / weight)
        };
        let (said, named) = (share(false), share(true));
        let score = match (said, named) {
            (Some(said), Some(named)) => (1.0 - NAMED) * said + NAMED * named,
            (said, named) => said.or(named).unwrap_or(0.0),
        };
        let opened = unit.lead.filter(|_| unit.lead == unit.before);
        let cue = self.meets(at)
            || (self.question.wants == Wants::Reason && opened.is_some_and(|at| self.meets(at)));
        let mut score = score;
        if cue {
            score += CUE;
        } else if self.question.wants.is_strict() {
            score *= 0.6;
        }
        if unit.text.ends_with('?') {
            score *= 0.4;
        }
        if self.is_estranged(held) {
            score *= 0.3;
        }
        Scored {
            at,
            score,
            reach: self.reach(held),
        }
    }

    /// What of a unit makes it likely that it answers.
    fn fitted(&self, at: usize, held: &[f32]) -> Signs {
        let (bag, whole) = (self.passage.bag(at), self.passage.words.all());
        let all: f32 = (0..held.len()).map(|n| self.weight(n)).sum();
        let share = |of: &dyn Fn(usize) -> f32| {
            let weighed: f32 = (0..held.len()).map(|n| self.weight(n) * of(n)).sum();
            if all > 0.0 { weighed / all } else { 0.0 }
        };
        Signs {
            anywhere: share(&|n| f32::from(whole.holds(&self.sought[n]) > 0.0)),
            near: share(&|n| held[n]),
            said: self.sought.iter().filter(|s| bag.holds(s) > 0.0).count(),
            words: bag.len(),
            asked: held.len(),
            is_named: self.is_named(),
            is_strict: self.question.wants.is_strict(),
            meets: self.meets(at),
            is_strange: self.is_estranged(held),
            asks: self.passage.units[at].text.ends_with(['?', '？', '؟']),
        }
    }

    /// Whether a unit holds the wanted kind of answer.
    fn meets(&self, at: usize) -> bool {
        let (text, bag) = (&self.passage.units[at].text, self.passage.bag(at));
        self.question.wants.met_by(text, bag)
    }

    /// Share of the plain words that a unit or its surroundings hold.
    fn reach(&self, held: &[f32]) -> f32 {
        let plain = || (0..held.len()).filter(|&n| self.question.terms[n].kind == Kind::Plain);
        let all: f32 = plain().map(|n| self.weight(n)).sum();
        let held = plain().filter(|&n| held[n] > 0.0);
        match all > 0.0 {
            true => held.map(|n| self.weight(n)).sum::<f32>() / all,
            false => 1.0,
        }
    }

    /// Whether the passage is, by its title, of other parts or years than those that are asked for,
    /// and the unit does not name them itself.
    fn is_estranged(&self, held: &[f32]) -> bool {
        let strange = |wanted: fn(&Term) -> bool| {
            let mut asked = (self.question.terms.iter().zip(held))
                .filter(|(t, _)| wanted(t))
                .peekable();
            asked.peek().is_some() && asked.all(|(_, held)| *held == 0.0)
        };
        let of_another_part = || self.sought(is_code).any(|s| self.is_kin(s.term));
        let of_another_year = || self.passage.title().has_year();
        strange(is_code) && of_another_part() || strange(Term::is_year) && of_another_year()
    }

    /// Whether the title holds a number of the same make as an identifier.
    fn is_kin(&self, term: &Term) -> bool {
        let stem: String = term.key.chars().take(2).collect();
        let kin = |run: &str| run.starts_with(&stem) && run.contains(|c: char| c.is_ascii_digit());
        let title = self.passage.title();
        let joined = |at: usize| [title.run(at - 1), title.run(at)].concat();
        title.runs().any(kin) || (1..title.len()).any(|at| kin(&joined(at)))
    }
}

/// How well each unit and the title hold each term by themselves.
struct Held<'a> {
    reading: &'a Reading<'a>,
    /// Unit by unit, a figure for each term.
    units: Vec<f32>,
    title: Vec<f32>,
}

impl<'a> Held<'a> {
    fn of(reading: &'a Reading<'a>) -> Self {
        let Reading {
            passage, sought, ..
        } = reading;
        let of = |bag: Bag<'_>| -> Vec<f32> { sought.iter().map(|s| bag.holds(s)).collect() };
        let units = (0..passage.units.len()).flat_map(|at| of(passage.bag(at)));
        let (mut title, front) = (of(passage.title()), of(passage.front()));
        for (n, front) in front.into_iter().enumerate() {
            // Words that are no names stand at the beginning of any document of the kind.
            if reading.question.terms[n].is_specific() || reading.is_foreign() {
                title[n] = title[n].max(front);
            }
        }
        Held {
            reading,
            units: units.collect(),
            title,
        }
    }

    /// How well a unit holds each term, itself or through what it stands with.
    fn by(&self, at: usize) -> Vec<f32> {
        let Reading {
            passage, sought, ..
        } = self.reading;
        let unit = &passage.units[at];
        let before = match unit.before {
            Some(before) if passage.units[before].text.ends_with('?') => BEFORE_QUESTION,
            _ => BEFORE,
        };
        let held = |(n, sought): (usize, &Sought<'_>)| {
            let own = |unit: usize| self.units[unit * self.title.len() + n];
            let through =
                |other: Option<usize>, share: f32| other.map_or(0.0, |other| share * own(other));
            let title = match sought.term.kind == Kind::Plain {
                true => TITLE,
                false => TITLE_SPECIFIC,
            };
            own(at)
                .max(through(unit.before, before))
                .max(through(unit.lead, LEAD))
                .max(through(unit.heading, HEADING))
                .max(title * self.title[n])
        };
        sought.iter().enumerate().map(held).collect()
    }
}

fn is_code(term: &Term) -> bool {
    term.kind == Kind::Identifier
}
