//! Makes questions by seed. For a kind of question and a family of near-misses it draws a record and drafts a
//! question about it. It keeps the draft if its answer has the right shape.

mod answer;
mod draft;
mod near;
mod phrase;
mod recent;
mod shape;
mod span;

use crate::company::Company;
use crate::day::Day;
use crate::dice::Dice;
use crate::field::{Field, Shelf};
use crate::gold::{Check, Matches, scan};
use crate::half::Half;
use crate::question::{GoldQuestion, NearMiss, QuestionKind};
use crate::record::BusinessRecord;
use crate::wording::Wording;
use std::collections::{BTreeMap, BTreeSet};

/// How many drafts are tried for one question before its family is given up, and how many before the question is.
const TRIES_IN_FAMILY: usize = 400;
const TRIES: usize = 4_000;
/// One question in so many of a kind is of a family.
const FAMILY_EVERY: usize = 5;
const FAMILY_OF_THEM: usize = 2;

/// The material that questions are made from.
pub(crate) struct Scene<'a> {
    pub(crate) half: Half,
    pub(crate) companies: &'a [Company],
    pub(crate) records: &'a [BusinessRecord],
    /// The records of each shelf, as indexes.
    pub(crate) shelves: BTreeMap<Shelf, Vec<usize>>,
    pub(crate) dice: Dice,
}

impl<'a> Scene<'a> {
    pub(crate) fn wording(&self) -> &'static Wording {
        self.half.wording()
    }

    pub(crate) fn company(&self, name: &str) -> &Company {
        let found = self.companies.iter().find(|company| company.name == name);
        found.expect("records name companies of the corpus")
    }

    /// Checks every record of a shelf.
    fn scan(&self, shelf: Shelf, checks: &[Check], needed: &[Field]) -> Matches {
        let here = self.shelves.get(&shelf).map_or(&[][..], Vec::as_slice);
        scan(
            here.iter().map(|at| (*at, &self.records[*at])),
            checks,
            needed,
        )
    }

    /// Draws one of the records of a shelf.
    fn draw(&mut self, shelf: Shelf) -> Option<&'a BusinessRecord> {
        let here = self.shelves.get(&shelf)?;
        let at = self.dice.below(here.len());
        let records = self.records;
        Some(&records[here[at]])
    }

    /// Draws a day in the last weeks of the papers' dates.
    fn today(&mut self) -> Day {
        let last = self.half.words().last_year;
        Day::new(last, 11, 20).plus(self.dice.within(0, 41))
    }
}

/// The questions of a corpus: the same share of each kind as among 400, and none of them twice.
pub(crate) fn questions(
    half: Half,
    companies: &[Company],
    records: &[BusinessRecord],
    seed: u64,
) -> Vec<GoldQuestion> {
    let mut shelves: BTreeMap<Shelf, Vec<usize>> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        shelves.entry(record.shelf()).or_default().push(at);
    }
    let mut all = Vec::new();
    let mut asked = BTreeSet::new();
    for kind in QuestionKind::ALL {
        let mut scene = Scene {
            half,
            companies,
            records,
            shelves: shelves.clone(),
            dice: Dice::new(seed, kind.as_str()),
        };
        for number in 0..kind.quota() {
            let id = format!("{}-{}-{:02}", half.as_str(), kind.as_str(), number + 1);
            let question = match kind {
                QuestionKind::None => none(&mut scene, number),
                _ => question(&mut scene, kind, number, &asked),
            };
            asked.insert(question.question.clone());
            all.push(GoldQuestion { id, ..question });
        }
    }
    all
}

/// The families that a kind may have, on this side.
fn families(half: Half, kind: QuestionKind) -> Vec<NearMiss> {
    let fits = |family: &NearMiss| near::fits(*family, kind);
    let is_here = |family: &NearMiss| half != Half::Dev || !family.is_test_only();
    NearMiss::ALL
        .into_iter()
        .filter(fits)
        .filter(is_here)
        .collect()
}

fn question(
    scene: &mut Scene<'_>,
    kind: QuestionKind,
    number: usize,
    asked: &BTreeSet<String>,
) -> GoldQuestion {
    let families = families(scene.half, kind);
    let is_of_family = number % FAMILY_EVERY < FAMILY_OF_THEM && !families.is_empty();
    // So that all of them come, whatever else the kind has.
    let turn = number / FAMILY_EVERY * FAMILY_OF_THEM + number % FAMILY_EVERY;
    let family = is_of_family.then(|| families[turn % families.len()]);
    let mut drafts = family.map_or(0, |_| TRIES_IN_FAMILY);
    let mut family = family;
    for _ in 0..TRIES_IN_FAMILY + TRIES {
        if drafts == 0 {
            family = None;
        }
        drafts = drafts.saturating_sub(1);
        let today = scene.today();
        let Some(draft) = draft::draft(scene, kind, family, today) else {
            continue;
        };
        if let Some(question) = answer::answer(scene, &draft)
            && !asked.contains(&question.question)
        {
            return question;
        }
    }
    panic!(
        "no question of kind `{}` came about: the corpus is too small",
        kind.as_str()
    );
}

/// A question that must not become a condition.
fn none(scene: &mut Scene<'_>, number: usize) -> GoldQuestion {
    let texts = scene.wording().none;
    GoldQuestion {
        id: String::new(),
        kind: QuestionKind::None,
        family: None,
        template: format!("{}.none", scene.half.as_str()),
        question: texts[number % texts.len()].to_owned(),
        today: scene.today().to_string(),
        bucket: None,
        conditions: Vec::new(),
        parts: Vec::new(),
        ambiguous: false,
        documents: Vec::new(),
        left_out: Vec::new(),
        decoys: Vec::new(),
        table: None,
    }
}
