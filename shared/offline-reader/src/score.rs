//! How well a unit of a passage answers a question: shared words, weighed, with a bonus for the kind
//! of answer that is wanted. No statistics of a corpus go in, so a passage scores alike everywhere.

use super::cues::Wants;
use super::lexicon::{Lexicon, akin, misspelt};
use super::question::{Kind, Question, Term, is_year};
use super::units::{self, Unit, UnitKind};
use text::words;

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
/// What another form of a word counts.
const AKIN: f32 = 0.8;
/// What a word counts that is one slip away.
const MISSPELT: f32 = 0.6;
/// What names, identifiers and years count in all, beside the other words: they tell the document,
/// seldom the sentence.
const NAMED: f32 = 0.25;
/// What the wanted kind of answer adds.
const CUE: f32 = 0.25;

/// A text, ready to be looked up in.
#[derive(Debug, Default)]
pub(super) struct Bag {
    runs: Vec<String>,
    keys: Vec<String>,
    /// The runs as a scanner could have read them.
    blurred: Vec<String>,
}

impl Bag {
    pub(super) fn new(lexicon: &Lexicon, text: &str) -> Bag {
        let runs: Vec<String> = words::runs(text).map(str::to_lowercase).collect();
        Bag {
            blurred: runs.iter().map(|run| blur_word(run)).collect(),
            keys: lexicon.keys(text),
            runs,
        }
    }

    fn extend(&mut self, other: &Bag) {
        self.runs.extend(other.runs.iter().cloned());
        self.keys.extend(other.keys.iter().cloned());
        self.blurred.extend(other.blurred.iter().cloned());
    }

    /// How well it holds a term, 0 to 1.
    pub(super) fn holds(&self, term: &Term) -> f32 {
        let held = match term.kind {
            Kind::Identifier | Kind::Label => self.spells(&blur(&term.key)),
            Kind::Number => self.spells(&blur(&term.key)),
            _ if self.keys.contains(&term.key) => true,
            _ if self.keys.iter().any(|key| akin(key, &term.key)) => return AKIN,
            _ if term.key.len() >= 4 && self.blurred.contains(&blur_word(&term.text)) => true,
            _ if self.keys.iter().any(|key| misspelt(key, &term.key)) => return MISSPELT,
            _ => false,
        };
        f32::from(u8::from(held))
    }

    /// Whether a label is there with another number: `line 3` for `line 5`.
    fn labels_another(&self, term: &Term) -> bool {
        let label = term.text.split_whitespace().next().unwrap_or_default();
        let label = label.to_lowercase();
        self.runs.windows(2).any(|w| {
            w[0] == label && w[1].len() <= 2 && w[1].starts_with(|c: char| c.is_ascii_digit())
        })
    }

    /// Whether neighbouring runs, put together, are exactly `wanted`: `INV-20` is not in `INV-2041`.
    fn spells(&self, wanted: &str) -> bool {
        let from = |at: usize| {
            let mut rest = wanted;
            for run in &self.runs[at..] {
                match rest.strip_prefix(blur(run).as_str()) {
                    Some("") => return true,
                    Some(more) => rest = more,
                    None => return false,
                }
            }
            false
        };
        (0..self.runs.len()).any(from)
    }

    fn years(&self) -> impl Iterator<Item = &String> {
        self.runs.iter().filter(|run| is_year(run))
    }
}

/// The stem of a word in which scanners took letters for digits and `m` for `rn`.
fn blur_word(word: &str) -> String {
    let letters = word.to_lowercase().replace('1', "l").replace('0', "o");
    words::stem(&letters.replace("rn", "m")).replace('i', "l")
}

/// A part number as scanners confuse it: `O` and `0`, `l`, `I` and `1` are one.
fn blur(text: &str) -> String {
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
    pub(super) question: &'a Question,
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
            whole.extend(bag);
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

    /// Whether the passage is about what the question names: its identifiers, half of its names, one
    /// of its years, and no other line, room or version. A comparison needs one of each kind.
    pub(super) fn is_about(&self) -> bool {
        let missing_all = |wanted: fn(&Term) -> bool| {
            let mut asked = self.terms(wanted).peekable();
            asked.peek().is_some() && asked.all(|t| self.whole.holds(t) == 0.0)
        };
        let unidentified = match self.question.compares {
            true => missing_all(is_code),
            false => self.terms(is_code).any(|t| self.whole.holds(t) == 0.0),
        };
        let elsewhere = self.terms(|t| t.kind == Kind::Label).any(|t| {
            self.whole.holds(t) == 0.0 && self.whole.labels_another(t) && !self.question.compares
        });
        !unidentified && !missing_all(Term::is_year) && !elsewhere && self.is_named()
    }

    fn terms(&self, wanted: fn(&Term) -> bool) -> impl Iterator<Item = &'a Term> + use<'a> {
        self.question.terms.iter().filter(move |t| wanted(t))
    }

    /// Names that stand next to one another are one, known by its first word: "Solvents" alone does
    /// not make "Brightwater Solvents". Half of those that are asked for have to be known.
    fn is_named(&self) -> bool {
        let mut runs: Vec<&Term> = self.terms(|t| t.kind == Kind::Name).collect();
        runs.dedup_by_key(|t| t.run);
        let known = runs.iter().filter(|t| self.whole.holds(t) > 0.0).count();
        match self.question.compares {
            true => runs.is_empty() || known > 0,
            false => known * 2 >= runs.len(),
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
        let share = |of: fn(&Term) -> bool| {
            let weight: f32 = self.terms(of).map(Term::weight).sum();
            let held: f32 = self.terms(of).map(|t| t.weight() * self.held(at, t)).sum();
            (weight > 0.0).then(|| held / weight)
        };
        let reach = self.reach(at);
        let (said, named) = (share(|t| !t.is_specific()), share(Term::is_specific));
        let score = match (said, named) {
            (Some(said), Some(named)) => (1.0 - NAMED) * said + NAMED * named,
            (said, named) => said.or(named).unwrap_or(0.0),
        };
        let opened = unit.lead.filter(|_| unit.lead == unit.before);
        let opens = |lead: usize| self.meets(&self.units[lead].text);
        let cue = self.meets(&unit.text)
            || (self.question.wants == Wants::Reason && opened.is_some_and(opens));
        let mut score = score;
        if cue {
            score += CUE;
        } else if self.question.wants.is_strict() {
            score *= 0.6;
        }
        if unit.text.ends_with('?') {
            score *= 0.4;
        }
        if self.is_estranged(at) {
            score *= 0.3;
        }
        Scored {
            at,
            score,
            reach,
            cue,
        }
    }

    fn meets(&self, text: &str) -> bool {
        self.question.wants.met_by(self.lexicon, text)
    }

    /// Share of the plain words that a unit or its surroundings hold.
    fn reach(&self, at: usize) -> f32 {
        let plain = |t: &Term| t.kind == Kind::Plain;
        let all: f32 = self.terms(plain).map(Term::weight).sum();
        let held = self.terms(plain).filter(|t| self.held(at, t) > 0.0);
        match all > 0.0 {
            true => held.map(Term::weight).sum::<f32>() / all,
            false => 1.0,
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
        let title = match term.kind == Kind::Plain {
            true => TITLE,
            false => TITLE_SPECIFIC,
        };
        own.max(through(unit.before, before))
            .max(through(unit.lead, LEAD))
            .max(through(unit.heading, HEADING))
            .max(title * self.title.holds(term))
    }

    /// Whether the passage is, by its title, of other parts or years than those that are asked for,
    /// and the unit does not name them itself.
    fn is_estranged(&self, at: usize) -> bool {
        let strange = |wanted: fn(&Term) -> bool, other: bool| {
            let mut asked = self.terms(wanted).peekable();
            other && asked.peek().is_some() && asked.all(|t| self.held(at, t) == 0.0)
        };
        let of_another_part = self.terms(is_code).any(|t| self.is_kin(t));
        let of_another_year = self.title.years().next().is_some();
        strange(is_code, of_another_part) || strange(Term::is_year, of_another_year)
    }

    /// Whether the title holds a number of the same make as an identifier.
    fn is_kin(&self, term: &Term) -> bool {
        let stem: String = term.key.chars().take(2).collect();
        let kin = |run: &str| run.starts_with(&stem) && run.contains(|c: char| c.is_ascii_digit());
        let mut joined = self.title.runs.windows(2).map(|w| w.concat());
        self.title.runs.iter().any(|run| kin(run)) || joined.any(|run| kin(&run))
    }
}

fn is_code(term: &Term) -> bool {
    term.kind == Kind::Identifier
}
