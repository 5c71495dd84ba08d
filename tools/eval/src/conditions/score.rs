//! Compares the linked conditions with the known ones. Pure.
//!
//! Each condition counts by itself, and so does each value of a list. A document counts if it satisfies all
//! conditions. A question for the largest or newest document has only one right document, so its set of documents is
//! not compared.

use super::gold::{GoldCondition, GoldQuestion, QuestionKind};
use super::tables;
use envelope::AnswerTable;
use linking::amounts::Bound;
use linking::{Intent, LinkedQuestion, NAMED, QuestionCondition, Tabulation, Test};
use retriever::DerivedFilter;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use text::fold;

/// How well all questions were linked.
#[derive(Default)]
pub(super) struct Score {
    right: usize,
    linked: usize,
    gold: usize,
    kinds: BTreeMap<&'static str, KindScore>,
    false_questions: usize,
    asked_for: usize,
    exact: usize,
    harmed: usize,
    /// Of the harmed, those whose conditions filter; and all in parts of the corpus that a schema describes.
    filtered: usize,
    described: usize,
    described_harmed: usize,
    /// Whether the last question had all conditions right, and the documents that they mean.
    is_right: bool,
    tables: usize,
    exact_tables: usize,
    /// The same in parts of the corpus that a schema describes; and whether the last question is about one.
    described_tables: KindScore,
    is_described: bool,
    tables_of: BTreeMap<&'static str, KindScore>,
    unmade: BTreeMap<&'static str, usize>,
    dropped: BTreeMap<&'static str, usize>,
    harm_beside: BTreeMap<String, usize>,
    failed: Vec<String>,
}

/// How many questions of a kind have all conditions right, and no other.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct KindScore {
    pub(super) right: usize,
    pub(super) questions: usize,
}

/// What it comes to.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ConditionSums {
    pub(super) questions: usize,
    /// Of the conditions that were linked, the share that is right.
    pub(super) precision: f64,
    /// Of the conditions that are meant, the share that was linked.
    pub(super) recall: f64,
    pub(super) f1: f64,
    /// The share of questions with exactly the right documents.
    pub(super) exact_documents: f64,
    /// The share of questions of which a right document was shut out.
    pub(super) harm: f64,
    /// The same where conditions filter: those of other questions have a share of the list, and shut nothing out.
    pub(super) harm_filtered: f64,
    /// The same of the questions about a part of the corpus that a schema describes, and about others.
    pub(super) harm_described: f64,
    pub(super) harm_undescribed: f64,
    /// What else is wrong with the questions of which a right document was shut out.
    pub(super) harm_beside: BTreeMap<String, usize>,
    /// Questions that are about no documents and became conditions.
    pub(super) false_questions: usize,
    /// Of the tables of questions with all conditions and documents right, the share that is exact; and how many those are.
    pub(super) exact_tables: f64,
    pub(super) tables: usize,
    /// The same of questions about parts of the corpus that a schema describes, and about others.
    pub(super) tables_described: KindScore,
    pub(super) tables_undescribed: KindScore,
    /// Of the tables, those that are exact, by kind of question; and why others are not, by what became of them.
    pub(super) tables_of: BTreeMap<&'static str, KindScore>,
    pub(super) tables_unmade: BTreeMap<&'static str, usize>,
    /// What was named and became no condition, by reason.
    pub(super) dropped: BTreeMap<&'static str, usize>,
    pub(super) kinds: BTreeMap<&'static str, KindScore>,
}

/// One thing that has to hold.
#[derive(Debug, Clone, PartialEq)]
struct Atom {
    field: String,
    test: &'static str,
    /// One of these.
    values: Vec<String>,
}

impl Score {
    /// Takes in what became of a question: its conditions, and the documents that they hold for.
    pub(super) fn add(
        &mut self,
        question: &GoldQuestion,
        linked: &LinkedQuestion,
        found: &BTreeSet<String>,
        is_described: bool,
    ) {
        self.is_described = is_described;
        for (_, reason) in &linked.dropped {
            *self.dropped.entry(reason).or_default() += 1;
        }
        let (lacks, wrong) = self.compare(question, linked);
        let kind = self.kinds.entry(question.kind.as_str()).or_default();
        kind.questions += 1;
        self.is_right = lacks.is_empty() && wrong.is_empty();
        kind.right += usize::from(self.is_right);
        let is_none = question.kind == QuestionKind::None;
        self.false_questions += usize::from(is_none && !wrong.is_empty());
        let mut documents = String::new();
        if !is_none && question.kind != QuestionKind::Extreme {
            let gold: BTreeSet<String> = question.documents.iter().cloned().collect();
            // They lack what is added up or grouped by: a table counts them apart.
            let left_out: BTreeSet<String> = question.left_out.iter().cloned().collect();
            let is_besides =
                |source: &&String| !(is_table(question.kind) && left_out.contains(*source));
            let mut strangers = found.difference(&gold).filter(is_besides);
            let one = strangers.next();
            let besides = usize::from(one.is_some()) + strangers.count();
            let shut_out = gold.difference(found).count();
            self.asked_for += 1;
            self.exact += usize::from(shut_out + besides == 0);
            let is_harmed = usize::from(shut_out > 0);
            self.harmed += is_harmed;
            let is_filtered = is_harmed > 0 && DerivedFilter::of(linked).is_strict;
            self.filtered += usize::from(is_filtered);
            if is_harmed > 0 {
                let what = match (&linked.bucket, self.is_right, linked.intent) {
                    (Some(bucket), _, Intent::Prose)
                        if Some(bucket) != question.bucket.as_ref() =>
                    {
                        "another part of the corpus, taken for a question for words"
                    }
                    (Some(bucket), ..) if Some(bucket) != question.bucket.as_ref() => {
                        "another part of the corpus"
                    }
                    (None, ..) => "no part of the corpus",
                    (_, false, Intent::Prose) => "conditions wrong, taken for a question for words",
                    (_, false, _) => "conditions wrong",
                    (_, true, Intent::Prose) => "nothing, taken for a question for words",
                    (_, true, _) => "nothing",
                };
                let what = format!("{}: {what}", question.kind.as_str());
                *self.harm_beside.entry(what).or_default() += 1;
            }
            self.described += usize::from(is_described);
            self.described_harmed += is_harmed * usize::from(is_described);
            self.is_right &= shut_out + besides == 0;
            if shut_out + besides > 0 {
                let by = if is_filtered { " by a filter" } else { "" };
                documents = format!(
                    "; {shut_out} of {} documents shut out{by}, {besides} besides {}",
                    gold.len(),
                    one.map_or("", |source| source.as_str())
                );
            }
        }
        if !lacks.is_empty() || !wrong.is_empty() || !documents.is_empty() {
            let shown =
                |atoms: &[Atom]| atoms.iter().map(Atom::shown).collect::<Vec<_>>().join(", ");
            let dropped = linked
                .dropped
                .iter()
                .map(|(said, why)| format!("`{said}`: {why}"));
            self.failed.push(format!(
                "{} {}: lacks [{}], wrong [{}], dropped [{}]{documents}",
                question.id,
                question.question,
                shown(&lacks),
                shown(&wrong),
                dropped.collect::<Vec<_>>().join(", ")
            ));
        }
    }

    /// Takes in the table of the question that was taken in last. It counts where the conditions are right and hold
    /// for the right documents: a table of other ones says nothing of how it was made.
    pub(super) fn add_table(
        &mut self,
        question: &GoldQuestion,
        linked: &LinkedQuestion,
        made: Option<&AnswerTable>,
    ) {
        let Some(gold) = question.table.as_ref().filter(|_| self.is_right) else {
            return;
        };
        self.tables += 1;
        self.described_tables.questions += usize::from(self.is_described);
        let of_kind = self.tables_of.entry(question.kind.as_str()).or_default();
        of_kind.questions += 1;
        match tables::wrong(gold, made, linked) {
            None => {
                self.exact_tables += 1;
                self.described_tables.right += usize::from(self.is_described);
                of_kind.right += 1;
            }
            Some(wrong) => {
                let what = match &linked.tabulation {
                    Tabulation::None => "taken for a question for words",
                    Tabulation::Unfit { .. } => "a word without a place",
                    Tabulation::Unsure { .. } if made.is_none() => {
                        "a word without a place that documents say"
                    }
                    Tabulation::Ambiguous { .. } => "asked back",
                    Tabulation::Unsure { .. } | Tabulation::Fit(_) => "another table",
                };
                *self.unmade.entry(what).or_default() += 1;
                self.failed
                    .push(format!("{} {}: {wrong}", question.id, question.question));
            }
        }
    }

    /// The conditions that are lacking, and those that are wrong.
    fn compare(
        &mut self,
        question: &GoldQuestion,
        linked: &LinkedQuestion,
    ) -> (Vec<Atom>, Vec<Atom>) {
        let of_parts = question.parts.iter().flatten();
        let gold = question.conditions.iter().chain(of_parts);
        let mut lacks: Vec<Atom> = gold.flat_map(of_gold).collect();
        self.gold += lacks.len();
        let mut wrong = Vec::new();
        for atom in linked
            .conditions
            .iter()
            .chain(&linked.parts)
            .flat_map(of_linked)
        {
            self.linked += 1;
            match lacks.iter().position(|gold| gold.is_met_by(&atom)) {
                Some(place) => {
                    lacks.remove(place);
                    self.right += 1;
                }
                None => wrong.push(atom),
            }
        }
        (lacks, wrong)
    }

    /// Every question that is not wholly right, with what is wrong.
    pub(super) fn failed(&self) -> &[String] {
        &self.failed
    }

    /// What it comes to.
    pub(super) fn sums(&self) -> ConditionSums {
        let share = |part: usize, all: usize| match all {
            0 => 1.0,
            _ => part as f64 / all as f64,
        };
        ConditionSums {
            questions: self.kinds.values().map(|kind| kind.questions).sum(),
            precision: share(self.right, self.linked),
            recall: share(self.right, self.gold),
            f1: share(2 * self.right, self.linked + self.gold),
            exact_documents: share(self.exact, self.asked_for),
            harm: share(self.harmed, self.asked_for),
            harm_filtered: share(self.filtered, self.asked_for),
            harm_beside: self.harm_beside.clone(),
            harm_described: share(self.described_harmed, self.described),
            harm_undescribed: share(
                self.harmed - self.described_harmed,
                self.asked_for - self.described,
            ),
            false_questions: self.false_questions,
            exact_tables: share(self.exact_tables, self.tables),
            tables: self.tables,
            tables_described: self.described_tables,
            tables_undescribed: KindScore {
                right: self.exact_tables - self.described_tables.right,
                questions: self.tables - self.described_tables.questions,
            },
            tables_of: self.tables_of.clone(),
            tables_unmade: self.unmade.clone(),
            dropped: self.dropped.clone(),
            kinds: self.kinds.clone(),
        }
    }
}

/// Whether a question asks for what documents come to, so that some of them lack what is asked for.
fn is_table(kind: QuestionKind) -> bool {
    use QuestionKind::{Average, Compare, Group, Sum};
    matches!(kind, Sum | Average | Group | Compare)
}

impl Atom {
    fn shown(&self) -> String {
        let first = self.values.first().map(String::as_str).unwrap_or_default();
        format!("{} {} {first}", self.field, self.test)
    }

    fn is_met_by(&self, other: &Atom) -> bool {
        // Where no schema names a column, what a document is called will do.
        let is_field = self.field == other.field || other.field == NAMED;
        is_field
            && self.test == other.test
            && other.values.iter().any(|value| {
                let mut mine = self.values.iter();
                mine.any(|mine| mine == value || fold::skeleton(mine) == fold::skeleton(value))
            })
    }
}

fn of_gold(condition: &GoldCondition) -> Vec<Atom> {
    let items = match &condition.value {
        Value::Array(items) => items.clone(),
        one => vec![one.clone()],
    };
    let is_list = items.len() > 1;
    let test = match condition.op.as_str() {
        "eq" | "in" => "is",
        "ne" | "not_in" => "is not",
        "gt" => ">",
        "gte" => ">=",
        "lt" => "<",
        "lte" => "<=",
        _ => "unknown",
    };
    let atom = |value: &Value| {
        let mut values = vec![shown(value)];
        // The forms of a list are those of all its values.
        if is_list {
            let key = text::fold::name_key(&shown(value));
            let mine = condition
                .forms
                .iter()
                .filter(|form| text::fold::name_key(form) == key);
            values.extend(mine.map(|form| form.to_lowercase()));
        } else {
            values.extend(condition.forms.iter().map(|form| form.to_lowercase()));
        }
        Atom {
            field: condition.field.clone(),
            test,
            values,
        }
    };
    items.iter().map(atom).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_lowercase(),
        Value::Number(number) => number.as_f64().unwrap_or_default().to_string(),
        other => other.to_string(),
    }
}

fn of_linked(condition: &QuestionCondition) -> Vec<Atom> {
    let atom = |test, values| Atom {
        field: condition.field.clone(),
        test,
        values,
    };
    let is = if condition.is_negated { "is not" } else { "is" };
    match &condition.test {
        Test::Is(values) => {
            let lower =
                |forms: &Vec<String>| forms.iter().map(|form| form.to_lowercase()).collect();
            values.iter().map(|forms| atom(is, lower(forms))).collect()
        }
        Test::Number(numbers) => numbers
            .iter()
            .map(|number| atom(is, vec![number.to_string()]))
            .collect(),
        Test::Days(range) => {
            let from = range.from.map(|from| atom(">=", vec![from.to_string()]));
            let until = range.until.map(|until| atom("<", vec![until.to_string()]));
            from.into_iter().chain(until).collect()
        }
        Test::Amount(bounds) => bounds
            .iter()
            .map(|(bound, value)| {
                let test = match bound {
                    Bound::Over => ">",
                    Bound::AtLeast => ">=",
                    Bound::Under => "<",
                    Bound::AtMost => "<=",
                    Bound::Exactly => "is",
                };
                atom(test, vec![value.to_string()])
            })
            .collect(),
    }
}
