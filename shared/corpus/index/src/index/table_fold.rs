//! Aggregates documents one after the other: lists, counts, sums. Pure, in bounded memory.

use super::table_best::{Best, Rank};
use super::table_misread::misread;
use envelope::table::DecimalSum;
use envelope::{Bucket, DocId};
use linking::{ColumnOperation, CurrencySource, GroupKey, TableQuestion};
use search::filter_terms::as_number;
use search::{GROUP_EXAMPLES_MAX, GROUP_VALUES_MAX, TableDocument, TableGroup, TableResult};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use text::fold;

/// Most groups; documents of further ones are one group.
const GROUPS_MAX: usize = 10_000;
/// What that is called.
const OTHERS: &str = "(others)";
/// Most ways to write a group's name that are counted; the most frequent one is shown.
const FORMS_MAX: usize = 8;

/// What a table reads of a document: the rest of its record is passed over.
#[derive(Debug, Deserialize)]
pub(super) struct TableHead {
    bucket: Bucket,
    doc_id: DocId,
    #[serde(default)]
    title: String,
    source: String,
    #[serde(default)]
    metadata: BTreeMap<String, Value>,
}

impl TableHead {
    /// Writes the currency of a document into the one column of the table.
    fn says_currency(&mut self, question: &TableQuestion) {
        let source = question.currency_of.get(self.bucket.as_str());
        let (Some(column), Some(source)) = (&question.currency, source) else {
            return;
        };
        let said = match source {
            CurrencySource::Column(said) => self.metadata.get(said).cloned(),
            CurrencySource::Unit(code) => Some(Value::from(*code)),
        };
        match said {
            Some(said) => self.metadata.insert(column.clone(), said),
            None => self.metadata.remove(column),
        };
    }

    /// Takes what a document is called by for the values of the column that it is grouped by and lacks.
    pub(super) fn is_called(&mut self, question: &TableQuestion, values: &[String]) {
        if let Some(group) = &question.group {
            let values = values.iter().map(|value| Value::from(value.as_str()));
            let values = Value::Array(values.collect());
            self.metadata
                .entry(group.column().to_owned())
                .or_insert(values);
        }
    }
}

/// What documents of a group share, as it is compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ValueKey {
    text: String,
    /// The legal form of a name, which tells companies of one name apart.
    legal_form: Option<String>,
}

impl ValueKey {
    fn of(value: &Value, text: &str) -> ValueKey {
        // A number is compared by all of its signs.
        if value.is_number() {
            return ValueKey::from(text);
        }
        match fold::value_key(text) {
            key if key.is_empty() => ValueKey::from(text),
            key => ValueKey {
                text: key,
                legal_form: fold::legal_form(text),
            },
        }
    }
}

impl From<&str> for ValueKey {
    fn from(text: &str) -> ValueKey {
        ValueKey {
            text: text.to_owned(),
            legal_form: None,
        }
    }
}

#[derive(Default)]
struct Group {
    documents: u64,
    sum: DecimalSum,
    values: Vec<f64>,
    examples: Vec<TableDocument>,
    forms: Vec<(String, u64)>,
}

impl Group {
    fn called(&mut self, form: String, documents: u64) {
        match self.forms.iter().position(|(known, _)| *known == form) {
            Some(at) => self.forms[at].1 += documents,
            None if self.forms.len() < FORMS_MAX => self.forms.push((form, documents)),
            None => {}
        }
    }

    fn join(&mut self, other: Group) {
        self.documents += other.documents;
        self.sum.join(other.sum);
        self.values.extend(other.values);
        self.values.truncate(GROUP_VALUES_MAX + 1);
        for (form, documents) in other.forms {
            self.called(form, documents);
        }
        self.examples.extend(other.examples);
        self.examples.sort_by(|a, b| a.source.cmp(&b.source));
        self.examples.truncate(GROUP_EXAMPLES_MAX);
    }
}

/// A table on its way.
pub(super) struct TableFold<'a> {
    question: &'a TableQuestion,
    rows_max: usize,
    documents: u64,
    rows_total: u64,
    rows: Vec<TableDocument>,
    /// The best of each currency.
    best: BTreeMap<Option<String>, Best>,
    groups: BTreeMap<(Option<ValueKey>, Option<String>), Group>,
    missing: Vec<(String, u64)>,
}

impl<'a> TableFold<'a> {
    pub(super) fn new(question: &'a TableQuestion, rows_max: usize) -> TableFold<'a> {
        TableFold {
            question,
            rows_max: rows_max.max(1),
            documents: 0,
            rows_total: 0,
            rows: Vec::new(),
            best: BTreeMap::new(),
            groups: BTreeMap::new(),
            missing: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, mut head: TableHead) {
        self.documents += 1;
        head.says_currency(self.question);
        match self.question.operation {
            ColumnOperation::List => self.list(head),
            ColumnOperation::Largest | ColumnOperation::Smallest => self.rank(head),
            ColumnOperation::Count | ColumnOperation::Sum | ColumnOperation::Average => {
                self.take_together(head);
            }
        }
    }

    fn list(&mut self, head: TableHead) {
        let document = self.document(head);
        self.rows_total += 1;
        self.rows.push(document);
        if self.rows.len() >= 2 * self.rows_max {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.rows.sort_by(|a, b| a.source.cmp(&b.source));
        self.rows.truncate(self.rows_max);
    }

    fn rank(&mut self, head: TableHead) {
        let Some(measure) = &self.question.measure else {
            return;
        };
        let value = head.metadata.get(measure);
        let rank = match self.question.is_day {
            true => value.and_then(day_of),
            false => value.and_then(as_amount).map(Rank::Number),
        };
        let (Some(rank), Ok(currency)) = (rank, self.currency(&head)) else {
            return self.lacks_first(&head);
        };
        let is_greatest = self.question.operation == ColumnOperation::Largest;
        let limit = self.question.limit.unwrap_or(1).clamp(1, self.rows_max);
        let document = self.document(head);
        let best = self.best.entry(currency).or_default();
        best.insert(rank, document, is_greatest, limit);
    }

    fn take_together(&mut self, head: TableHead) {
        let amount = match (&self.question.measure, self.question.operation) {
            (_, ColumnOperation::Count) | (None, _) => None,
            (Some(measure), _) => match head.metadata.get(measure).and_then(as_amount) {
                Some(amount) => Some(amount),
                None => return self.lacks_first(&head),
            },
        };
        let currency = match amount {
            None => None,
            Some(_) => match self.currency(&head) {
                Ok(currency) => currency,
                Err(()) => return self.lacks_first(&head),
            },
        };
        let Some(keys) = self.keys(&head) else {
            return self.lacks_first(&head);
        };
        let document = self.document(head);
        for (key, form) in keys {
            self.put(key, form, currency.clone(), amount, &document);
        }
    }

    fn put(
        &mut self,
        key: Option<ValueKey>,
        form: Option<String>,
        currency: Option<String>,
        amount: Option<f64>,
        document: &TableDocument,
    ) {
        let mut place = (key, currency);
        let mut form = form;
        if self.groups.len() >= GROUPS_MAX && !self.groups.contains_key(&place) {
            place.0 = Some(ValueKey::from(&*format!("\u{10FFFF}{OTHERS}")));
            form = Some(OTHERS.to_owned());
        }
        let group = self.groups.entry(place).or_default();
        group.documents += 1;
        if let Some(amount) = amount {
            group.sum.add(amount);
            if group.values.len() <= GROUP_VALUES_MAX {
                group.values.push(amount);
            }
        }
        if let Some(form) = form {
            group.called(form, 1);
        }
        let place = group
            .examples
            .partition_point(|known| known.source <= document.source);
        if place < GROUP_EXAMPLES_MAX {
            group.examples.insert(place, document.clone());
            group.examples.truncate(GROUP_EXAMPLES_MAX);
        }
    }

    /// What a document is grouped by, as it is compared and as it is written; none where it does not say.
    fn keys(&self, head: &TableHead) -> Option<Vec<(Option<ValueKey>, Option<String>)>> {
        let Some(group) = &self.question.group else {
            return Some(vec![(None, None)]);
        };
        let value = head.metadata.get(group.column())?;
        let part = |text: &str| match group {
            GroupKey::Year(_) => text.get(..4).map(str::to_owned),
            GroupKey::Month(_) => text.get(..7).map(str::to_owned),
            GroupKey::Quarter(_) => {
                let month: u8 = text.get(5..7)?.parse().ok()?;
                Some(format!("{}-Q{}", text.get(..4)?, month.div_ceil(3)))
            }
            GroupKey::Column(_) => None,
        };
        if !matches!(group, GroupKey::Column(_)) {
            let Rank::Day(day) = day_of(value)? else {
                return None;
            };
            let key = part(&day)?;
            return Some(vec![(Some(ValueKey::from(&*key)), Some(key))]);
        }
        let items = match value {
            Value::Array(items) => items.iter().collect(),
            one => vec![one],
        };
        let mut keys: Vec<(ValueKey, String)> = Vec::new();
        for item in items {
            let Some(text) = text_of(item) else { continue };
            let key = ValueKey::of(item, &text);
            if !keys.iter().any(|(known, _)| *known == key) {
                keys.push((key, text));
            }
        }
        // A name without its legal form, beside the same name with it, is the same thing.
        let whole: Vec<String> = keys
            .iter()
            .filter(|(key, _)| key.legal_form.is_some())
            .map(|(key, _)| key.text.clone())
            .collect();
        keys.retain(|(key, _)| key.legal_form.is_some() || !whole.contains(&key.text));
        if keys.is_empty() {
            return None;
        }
        let keys = keys.into_iter().map(|(key, text)| (Some(key), Some(text)));
        Some(keys.collect())
    }

    /// The currency of a document's measure; an error where it has to have one and does not say.
    fn currency(&self, head: &TableHead) -> Result<Option<String>, ()> {
        let Some(column) = &self.question.currency else {
            return Ok(None);
        };
        let value = head.metadata.get(column).and_then(text_of).ok_or(())?;
        Ok(Some(value.trim().to_uppercase()))
    }

    /// Counts the first thing that a document lacks, so that each is counted once.
    fn lacks_first(&mut self, head: &TableHead) {
        let question = self.question;
        let is_day = question.is_day;
        let needed = question.measure.iter().filter(|measure| {
            let value = head.metadata.get(*measure);
            match is_day {
                true => value.and_then(day_of).is_none(),
                false => value.and_then(as_amount).is_none(),
            }
        });
        let is_counted = question.operation == ColumnOperation::Count;
        let needed = needed.filter(|_| !is_counted);
        let currency = question.currency.iter();
        let currency = currency.filter(|_| self.currency(head).is_err() && !is_counted);
        let group = question.group.iter().map(GroupKey::column);
        let first = needed
            .chain(currency)
            .map(String::as_str)
            .chain(group)
            .next();
        if let Some(column) = first {
            self.lacks(column);
        }
    }

    fn lacks(&mut self, column: &str) {
        match self.missing.iter_mut().find(|(known, _)| known == column) {
            Some((_, documents)) => *documents += 1,
            None => self.missing.push((column.to_owned(), 1)),
        }
    }

    fn document(&self, mut head: TableHead) -> TableDocument {
        let shown = self.question.shown.iter();
        let cells = shown.map(|column| head.metadata.remove(column).unwrap_or_default());
        TableDocument {
            cells: cells.collect(),
            doc_id: head.doc_id,
            title: head.title,
            source: head.source,
        }
    }

    /// Joins the groups of a name with and without its legal form, if it has only one.
    fn join_forms(&mut self) {
        let mut forms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for key in self.groups.keys().filter_map(|(key, _)| key.as_ref()) {
            let forms = forms.entry(key.text.clone()).or_default();
            forms.extend(key.legal_form.clone());
        }
        for ((key, currency), group) in std::mem::take(&mut self.groups) {
            let key = key.map(|mut key| {
                let is_one = forms.get(&key.text).is_none_or(|forms| forms.len() < 2);
                key.legal_form = key.legal_form.filter(|_| !is_one);
                key
            });
            self.groups.entry((key, currency)).or_default().join(group);
        }
    }

    /// Joins the groups of values that are probably misread with those of the right values.
    fn join_misread(&mut self) {
        let mut documents: BTreeMap<&str, u64> = BTreeMap::new();
        for ((key, _), group) in &self.groups {
            if let Some(key) = key {
                *documents.entry(&key.text).or_default() += group.documents;
            }
        }
        let misread = misread(&documents).into_iter();
        let misread: BTreeMap<String, String> = misread
            .map(|(rare, right)| (rare.to_owned(), right.to_owned()))
            .collect();
        for ((key, currency), group) in std::mem::take(&mut self.groups) {
            let key = key.map(|mut key| {
                if let Some(right) = misread.get(&key.text) {
                    key.text.clone_from(right);
                }
                key
            });
            self.groups.entry((key, currency)).or_default().join(group);
        }
    }

    pub(super) fn done(mut self) -> TableResult {
        self.cut();
        if matches!(self.question.group, Some(GroupKey::Column(_))) {
            self.join_misread();
        }
        self.join_forms();
        let best = std::mem::take(&mut self.best);
        let counted: u64 = best.values().map(Best::count).sum();
        let best = best.into_values().flat_map(Best::into_rows);
        self.rows.extend(best.take(self.rows_max));
        let groups = self.groups.into_iter().map(|((key, currency), group)| {
            let form = group.forms.iter().max_by_key(|(form, count)| {
                // The first by name of those that are as frequent.
                (*count, std::cmp::Reverse(form.clone()))
            });
            TableGroup {
                key: form
                    .map(|(form, _)| form.clone())
                    .or(key.map(|key| key.text)),
                currency,
                documents: group.documents,
                sum: group.sum.total(),
                mean: group.sum.mean(),
                values: group.values,
                examples: group.examples,
            }
        });
        let groups: Vec<TableGroup> = groups.collect();
        let rows_total = match self.question.operation {
            ColumnOperation::List => self.rows_total,
            ColumnOperation::Largest | ColumnOperation::Smallest => counted,
            _ => groups.len() as u64,
        };
        TableResult {
            documents: self.documents,
            rows: self.rows,
            groups,
            rows_total,
            missing: self.missing,
            ..TableResult::default()
        }
    }
}

/// A number that can be added up: a list of them is none.
fn as_amount(value: &Value) -> Option<f64> {
    let number = as_number(value).filter(|number| number.is_finite() && number.abs() <= 1e20);
    number.filter(|_| !value.is_array())
}

/// A day, or a year.
fn day_of(value: &Value) -> Option<Rank> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => {
            let year = number
                .as_u64()
                .filter(|year| (1000..=9999).contains(year))?;
            year.to_string()
        }
        _ => return None,
    };
    let is_day = text.len() >= 4 && text.bytes().take(4).all(|byte| byte.is_ascii_digit());
    let rest = text.get(4..)?;
    (is_day && (rest.is_empty() || rest.starts_with('-'))).then_some(Rank::Day(text))
}

/// A value as a text: numbers as they are written.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => match number.as_f64().filter(|number| number.fract() == 0.0) {
            // Nought has no sign.
            Some(whole) if whole.abs() < 1e15 => Some(format!("{:.0}", whole + 0.0)),
            _ => Some(number.to_string()),
        },
        Value::Bool(is_so) => Some(is_so.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
