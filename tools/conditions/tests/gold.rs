//! Tests that the known answers are right: other code evaluates the conditions of the JSON file on the records and
//! adds the tables up once more.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use argosy_conditions::field::{Field, Shelf, Stand};
use argosy_conditions::record::{BusinessRecord, Matter};
use argosy_conditions::{
    Corpus, CorpusPlan, GoldCondition, GoldQuestion, Half, NearMiss, QuestionKind,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Small corpora whose questions are all tested, and large ones.
fn corpora() -> &'static [Corpus] {
    static CORPORA: OnceLock<Vec<Corpus>> = OnceLock::new();
    let plans = [
        (Half::Dev, 500),
        (Half::Dev, 5_000),
        (Half::Test, 500),
        (Half::Test, 5_000),
        (Half::Third, 500),
        (Half::Fourth, 500),
        (Half::Fifth, 500),
        (Half::Sixth, 500),
        (Half::Seventh, 500),
    ];
    let generate = |(half, documents)| Corpus::generate(CorpusPlan::new(half, documents)).unwrap();
    CORPORA.get_or_init(|| plans.map(generate).into())
}

/// Every question of a small corpus, and each fourth of a large one.
fn asked(corpus: &Corpus) -> impl Iterator<Item = &GoldQuestion> {
    let step = if corpus.plan.documents > 500 { 4 } else { 1 };
    corpus.questions.iter().step_by(step)
}

/// The value of a field, straight from the struct.
fn value(record: &BusinessRecord, field: Field) -> Value {
    let money = |hundredths: i64| Value::from(hundredths as f64 / 100.0);
    let day = |day: argosy_conditions::day::Day| Value::from(day.to_string());
    match (&record.matter, field) {
        (Matter::Invoice(one), Field::Company) => one.company.as_str().into(),
        (Matter::Invoice(one), Field::Number) => one.number.as_str().into(),
        (Matter::Invoice(one), Field::Nature) => one.nature.into(),
        (Matter::Invoice(one), Field::Date) => day(one.date),
        (Matter::Invoice(one), Field::Due) => day(one.due),
        (Matter::Invoice(one), Field::Net) => money(one.net),
        (Matter::Invoice(one), Field::Amount) => money(one.gross),
        (Matter::Invoice(one), Field::Currency) => one.currency.code().into(),
        (Matter::Invoice(one), Field::Category) => one.category.into(),
        (Matter::Contract(one), Field::Company) => one.company.as_str().into(),
        (Matter::Contract(one), Field::Number) => one.number.as_str().into(),
        (Matter::Contract(one), Field::Nature) => one.nature.into(),
        (Matter::Contract(one), Field::Category) => one.category.into(),
        (Matter::Contract(one), Field::Date) => day(one.start),
        (Matter::Contract(one), Field::Due) => day(one.end),
        (Matter::Contract(one), Field::Amount) => money(one.value),
        (Matter::Contract(one), Field::Currency) => one.currency.code().into(),
        (Matter::Contract(one), Field::Notice) => one.notice.into(),
        (Matter::Datasheet(one), Field::Company) => one.company.as_str().into(),
        (Matter::Datasheet(one), Field::Number) => one.part.as_str().into(),
        (Matter::Datasheet(one), Field::Category) => one.category.into(),
        (Matter::Datasheet(one), Field::Volts) => money(one.volts),
        (Matter::Datasheet(one), Field::Amps) => money(one.amps),
        (Matter::Datasheet(one), Field::Package) => one.package.into(),
        (Matter::Datasheet(one), Field::Date) => day(one.revised),
        (Matter::Certificate(one), Field::Company) => one.company.as_str().into(),
        (Matter::Certificate(one), Field::Number) => one.number.as_str().into(),
        (Matter::Certificate(one), Field::Category) => one.standard.into(),
        (Matter::Certificate(one), Field::Body) => one.body.into(),
        (Matter::Certificate(one), Field::Site) => one.site.into(),
        (Matter::Certificate(one), Field::Date) => day(one.issued),
        (Matter::Certificate(one), Field::Due) => day(one.valid_until),
        (Matter::YearlyReport(one), Field::Company) => one.company.as_str().into(),
        (Matter::YearlyReport(one), Field::Nature) => one.nature.into(),
        (Matter::YearlyReport(one), Field::Year) => one.year.into(),
        (Matter::YearlyReport(one), Field::Date) => day(one.published),
        (Matter::YearlyReport(one), Field::Amount) => money(one.revenue),
        (Matter::YearlyReport(one), Field::Currency) => one.currency.code().into(),
        (matter, field) => panic!("{field:?} of {matter:?}"),
    }
}

/// The order of two values: numbers as numbers, texts and days as texts.
fn order(a: &Value, b: &Value) -> std::cmp::Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.as_str().unwrap().cmp(b.as_str().unwrap()),
    }
}

struct Checker<'a> {
    corpus: &'a Corpus,
    /// The field of each bucket and column.
    fields: BTreeMap<(&'static str, &'static str), Field>,
}

impl<'a> Checker<'a> {
    fn new(corpus: &'a Corpus) -> Checker<'a> {
        let mut fields = BTreeMap::new();
        for shelf in Shelf::ALL {
            for field in shelf.fields() {
                fields.insert((corpus.bucket(shelf), corpus.column(shelf, *field)), *field);
            }
        }
        Checker { corpus, fields }
    }

    fn field(&self, question: &GoldQuestion, column: &str) -> Option<Field> {
        let bucket = question.bucket.as_deref()?;
        let found = self
            .fields
            .iter()
            .find(|((b, c), _)| *b == bucket && *c == column);
        found.map(|(_, field)| *field)
    }

    fn holds(
        &self,
        question: &GoldQuestion,
        condition: &GoldCondition,
        record: &BusinessRecord,
    ) -> Option<bool> {
        let field = self.field(question, &condition.field).unwrap();
        if record.stand(field) == Stand::Nowhere {
            return None;
        }
        let (found, wanted) = (value(record, field), &condition.value);
        let is_one = || {
            wanted
                .as_array()
                .unwrap()
                .iter()
                .any(|one| order(&found, one).is_eq())
        };
        Some(match condition.op.as_str() {
            "eq" => order(&found, wanted).is_eq(),
            "ne" => order(&found, wanted).is_ne(),
            "gt" => order(&found, wanted).is_gt(),
            "gte" => order(&found, wanted).is_ge(),
            "lt" => order(&found, wanted).is_lt(),
            "lte" => order(&found, wanted).is_le(),
            "in" => is_one(),
            "not_in" => !is_one(),
            op => panic!("`{op}` is no operator"),
        })
    }

    /// The sources of the records that satisfy all conditions, and of those that nothing rules out.
    fn scan(
        &self,
        question: &GoldQuestion,
        part: &[GoldCondition],
    ) -> (BTreeSet<String>, BTreeSet<String>) {
        let (mut sure, mut open) = (BTreeSet::new(), BTreeSet::new());
        for record in &self.corpus.records {
            if Some(self.corpus.bucket(record.shelf())) != question.bucket.as_deref() {
                continue;
            }
            let conditions = question.conditions.iter().chain(part);
            let holds: Vec<_> = conditions
                .map(|condition| self.holds(question, condition, record))
                .collect();
            if holds.contains(&Some(false)) {
                continue;
            }
            open.insert(record.source.clone());
            if !holds.contains(&None) {
                sure.insert(record.source.clone());
            }
        }
        (sure, open)
    }

    fn record(&self, source: &str) -> &BusinessRecord {
        let found = self
            .corpus
            .records
            .iter()
            .find(|record| record.source == source);
        found.unwrap_or_else(|| panic!("`{source}` is no document"))
    }
}

#[test]
fn documents_are_those_that_the_conditions_hold_for() {
    for corpus in corpora() {
        let checker = Checker::new(corpus);
        for question in asked(corpus).filter(|question| question.kind != QuestionKind::None) {
            let none = vec![Vec::new()];
            let parts = if question.parts.is_empty() {
                &none
            } else {
                &question.parts
            };
            let (mut sure, mut open) = (BTreeSet::new(), BTreeSet::new());
            for part in parts {
                let (some_sure, some_open) = checker.scan(question, part);
                sure.extend(some_sure);
                open.extend(some_open);
            }
            let documents: BTreeSet<String> = question.documents.iter().cloned().collect();
            let left_out: BTreeSet<String> = question.left_out.iter().cloned().collect();
            let said = format!("{} {}", question.id, question.question);
            assert!(documents.is_disjoint(&left_out), "{said}");
            assert!(documents.is_subset(&sure), "{said}");
            if question.kind == QuestionKind::Extreme {
                assert!(left_out.is_subset(&open), "{said}");
                continue;
            }
            let all: BTreeSet<String> = documents.union(&left_out).cloned().collect();
            assert_eq!(all, open, "{said}");
            // What satisfies all and is left out lacks what is added up, or grouped by.
            let counts = matches!(
                question.kind,
                QuestionKind::Sum
                    | QuestionKind::Average
                    | QuestionKind::Group
                    | QuestionKind::Compare
            );
            assert!(counts || documents == sure, "{said}");
            assert!(
                question
                    .decoys
                    .iter()
                    .all(|decoy| !documents.contains(decoy)),
                "{said}"
            );
        }
    }
}

#[test]
fn tables_add_up() {
    for corpus in corpora() {
        let checker = Checker::new(corpus);
        for question in asked(corpus) {
            let Some(table) = &question.table else {
                continue;
            };
            let said = format!("{} {} {table:?}", question.id, question.question);
            assert!(
                table
                    .rows
                    .iter()
                    .all(|row| row.len() == table.columns.len()),
                "{said}"
            );
            let at = |name: &str| table.columns.iter().position(|column| column == name);
            let counted = at("documents").map(|at| {
                table
                    .rows
                    .iter()
                    .map(|row| row[at].as_u64().unwrap())
                    .sum::<u64>()
            });
            if let Some(counted) = counted {
                assert_eq!(counted as usize, question.documents.len(), "{said}");
            }
            let measured = table.columns.iter().enumerate().find_map(|(at, column)| {
                let field = checker.field(question, column)?;
                matches!(field, Field::Net | Field::Amount).then_some((at, field))
            });
            let Some((column, field)) = measured.filter(|_| question.kind != QuestionKind::Extreme)
            else {
                continue;
            };
            // Over all rows, by currency, in whole hundredths.
            let is_here = |shelf: &Shelf| question.bucket.as_deref() == Some(corpus.bucket(*shelf));
            let shelf = Shelf::ALL.into_iter().find(is_here).unwrap();
            let currency = at("currency").or_else(|| at(corpus.column(shelf, Field::Currency)));
            let mut expected: BTreeMap<String, (f64, f64)> = BTreeMap::new();
            for source in &question.documents {
                let record = checker.record(source);
                let code = value(record, Field::Currency).as_str().unwrap().to_owned();
                let sum = expected.entry(code).or_default();
                sum.0 += value(record, field).as_f64().unwrap();
                sum.1 += 1.0;
            }
            let mut found: BTreeMap<String, f64> = BTreeMap::new();
            for row in &table.rows {
                let code = row[currency.unwrap()].as_str().unwrap().to_owned();
                *found.entry(code).or_default() += row[column].as_f64().unwrap();
            }
            assert_eq!(found.len(), expected.len(), "{said}");
            for (code, (sum, n)) in expected {
                let wanted = if question.kind == QuestionKind::Average {
                    sum / n
                } else {
                    sum
                };
                assert!(
                    (found[&code] - wanted).abs() < 0.01,
                    "{said}: {code} {wanted}"
                );
            }
        }
    }
}

#[test]
fn the_largest_is_the_largest() {
    for corpus in corpora() {
        let checker = Checker::new(corpus);
        for question in asked(corpus).filter(|question| question.kind == QuestionKind::Extreme) {
            let table = question.table.as_ref().unwrap();
            let field = checker.field(question, &table.columns[1]).unwrap();
            let best = &table.rows[0][1];
            assert_eq!(question.documents, [table.rows[0][0].as_str().unwrap()]);
            let is_smallest = ["smallest", "oldest"]
                .iter()
                .any(|end| question.template.contains(end));
            let (sure, _) = checker.scan(question, &[]);
            let mut others = 0;
            for source in sure
                .iter()
                .filter(|source| **source != question.documents[0])
            {
                let record = checker.record(source);
                let needed = if field == Field::Date {
                    vec![field]
                } else {
                    vec![field, Field::Currency]
                };
                if needed
                    .iter()
                    .any(|field| record.stand(*field) == Stand::Nowhere)
                {
                    continue;
                }
                let order = order(&value(record, field), best);
                assert!(
                    if is_smallest {
                        order.is_gt()
                    } else {
                        order.is_lt()
                    },
                    "{} {source}",
                    question.question
                );
                others += 1;
            }
            assert!(others >= 2, "{}", question.question);
        }
    }
}

#[test]
fn a_fiscal_year_is_stated_where_it_is_asked_for() {
    for corpus in corpora() {
        let asked = asked(corpus).filter(|question| question.family == Some(NearMiss::FiscalYear));
        for question in asked {
            let company = question
                .conditions
                .iter()
                .find(|one| one.field == corpus.column(Shelf::Invoices, Field::Company));
            let company = &company.unwrap().value;
            let states = |record: &&BusinessRecord| match &record.matter {
                Matter::YearlyReport(one) => {
                    company == one.company.as_str()
                        && record.stand(Field::Company) != Stand::Nowhere
                }
                _ => false,
            };
            assert!(
                corpus.records.iter().any(|record| states(&record)),
                "{}",
                question.question
            );
        }
    }
}
