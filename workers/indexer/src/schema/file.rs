//! Reads and checks a schema file, which is TOML. Errors name bucket, column, line and what to do.
//!
//! ```toml
//! [invoices]
//! description = "what suppliers want to be paid"
//! synonyms = ["bill"]
//! text = "payload.body"
//!
//! [invoices.total_amount]
//! type = "number"
//! unit = "EUR"
//! synonyms = ["spend", "gross"]
//! rules = [{ labels = ["Amount due", "Rechnungsbetrag"], pick = "last" }]
//! ```

use super::date::DateOrder;
use super::label::Label;
use super::number::Decimal;
use super::rule::{From, How, Pick, Rule, can_pick};
use super::value::{ValueForm, ValueKind};
use super::{Column, Table};
use documents::reader::RecordFields;
use envelope::Bucket;
use regex::RegexBuilder;
use search::BUILT_IN_FIELDS;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use toml::Spanned;

/// Largest schema file, in bytes.
pub(super) const FILE_BYTES_MAX: u64 = 256 * 1024;
/// Most columns of a bucket.
pub(super) const COLUMNS_MAX: usize = 32;
/// Most rules of a column, and most labels or keys of a rule.
const RULES_MAX: usize = 16;
/// Longest name of a column, label or unit, in bytes.
const NAME_BYTES_MAX: usize = 64;
/// Longest description, in bytes.
const DESCRIPTION_BYTES_MAX: usize = 400;
/// Most synonyms of a bucket or column.
const SYNONYMS_MAX: usize = 32;
/// Most words of a synonym.
const SYNONYM_WORDS_MAX: usize = 4;
/// Longest pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 1_000;
/// Most memory of a compiled pattern, in bytes.
const PATTERN_SIZE_MAX: usize = 1024 * 1024;

/// An error in a schema file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{file}`{}{}: {what}", line.map(|n| format!(", line {n}")).unwrap_or_default(), of(place))]
pub struct SchemaFileError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The bucket, the column and the rule, as far as they are known.
    pub place: String,
    /// What is wrong, and what is expected.
    pub what: String,
}

fn of(place: &str) -> String {
    match place {
        "" => String::new(),
        place => format!(", `{place}`"),
    }
}

type File = BTreeMap<String, BTreeMap<String, Spanned<RawEntry>>>;

/// The key that describes a bucket, and the one of its synonyms. When the value is a table, it is a column of that name.
const DESCRIPTION: &str = "description";
const SYNONYMS: &str = "synonyms";
/// The keys that say which fields of the records of a bucket are what.
const RECORDS: [&str; 3] = ["text", "title", "id"];

/// An entry of a bucket: a column, or a text or list about the bucket itself.
#[derive(Debug)]
enum RawEntry {
    Column(Box<RawColumn>),
    Text(String),
    List(Vec<String>),
}

impl<'de> Deserialize<'de> for RawEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawEntry, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = RawEntry;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table that is a column, `description` as a text, or `synonyms` as a list of texts")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<RawEntry, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(RawEntry::List)
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<RawEntry, E> {
                Ok(RawEntry::Text(text.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawEntry, A::Error> {
                let column = RawColumn::deserialize(MapAccessDeserializer::new(map))?;
                Ok(RawEntry::Column(Box::new(column)))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A column as the file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawColumn {
    #[serde(rename = "type")]
    kind: ValueKind,
    unit: Option<String>,
    #[serde(default)]
    description: String,
    #[serde(default)]
    synonyms: Vec<String>,
    decimal: Option<Decimal>,
    order: Option<DateOrder>,
    #[serde(default)]
    rules: Vec<Spanned<RawRule>>,
    #[serde(default)]
    model: bool,
}

/// A rule as the file has it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawRule {
    from: Option<From>,
    keys: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    pattern: Option<String>,
    pick: Pick,
    lines: Option<u32>,
    pages: Option<u32>,
}

/// Parses the text of a file with this name.
pub(super) fn parse(file: &str, text: &str) -> Result<BTreeMap<Bucket, Table>, SchemaFileError> {
    let reading = Reading { file, text };
    let parsed: File = reading.toml()?;
    let mut tables = BTreeMap::new();
    for (name, entries) in parsed {
        let (bucket, table) = reading.table(&name, entries)?;
        tables.insert(bucket, table);
    }
    match tables.is_empty() {
        true => Err(reading.wrong(None, "", "no bucket in it: want `[<bucket>.<column>]`")),
        false => Ok(tables),
    }
}

/// A file while it is read.
struct Reading<'a> {
    file: &'a str,
    text: &'a str,
}

impl Reading<'_> {
    fn toml(&self) -> Result<File, SchemaFileError> {
        let parser = toml::Deserializer::parse(self.text)
            .map_err(|e| self.wrong(e.span(), "", e.message()))?;
        serde_path_to_error::deserialize(parser).map_err(|error| {
            let path = error.path().to_string();
            // What spans are read with is no part of the file.
            let parts = path
                .split('.')
                .filter(|part| !part.is_empty() && !part.starts_with("$__"));
            let place = parts.collect::<Vec<_>>().join(".");
            let error = error.inner();
            self.wrong(error.span(), &place, error.message())
        })
    }

    fn wrong(&self, span: Option<Range<usize>>, place: &str, what: &str) -> SchemaFileError {
        let line = |span: Range<usize>| {
            let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
            before.iter().filter(|&&byte| byte == b'\n').count() + 1
        };
        SchemaFileError {
            file: self.file.to_owned(),
            line: span.map(line),
            place: place.to_owned(),
            what: what.trim().replace('\n', ", "),
        }
    }

    fn table(
        &self,
        name: &str,
        entries: BTreeMap<String, Spanned<RawEntry>>,
    ) -> Result<(Bucket, Table), SchemaFileError> {
        let first = entries.values().next().map(Spanned::span);
        let bucket = Bucket::new(name)
            .map_err(|e| self.wrong(first.clone(), name, &format!("the bucket {e}")))?;
        let mut table = Table {
            description: String::new(),
            synonyms: Vec::new(),
            records: RecordFields::default(),
            columns: Vec::new(),
        };
        for (key, entry) in entries {
            let (span, place) = (entry.span(), format!("{name}.{key}"));
            match entry.into_inner() {
                RawEntry::Column(raw) => table.columns.push(self.column(&place, span, key, *raw)?),
                RawEntry::Text(text) => {
                    check_text(&key, &text)
                        .map_err(|what| self.wrong(Some(span), &place, &what))?;
                    match key.as_str() {
                        "text" => table.records.text = Some(text),
                        "title" => table.records.title = Some(text),
                        "id" => table.records.id = Some(text),
                        _ => table.description = text,
                    }
                }
                RawEntry::List(names) => {
                    check_list(&key, &names)
                        .map_err(|what| self.wrong(Some(span), &place, &what))?;
                    table.synonyms = names;
                }
            }
        }
        if table.columns.len() > COLUMNS_MAX {
            let what = format!("{} columns: at most {COLUMNS_MAX}", table.columns.len());
            return Err(self.wrong(first, name, &what));
        }
        Ok((bucket, table))
    }

    fn column(
        &self,
        place: &str,
        span: Range<usize>,
        name: String,
        raw: RawColumn,
    ) -> Result<Column, SchemaFileError> {
        check_column(&name, &raw).map_err(|what| self.wrong(Some(span), place, &what))?;
        let form = ValueForm {
            kind: raw.kind,
            unit: raw.unit,
            decimal: raw.decimal,
            order: raw.order,
        };
        let mut rules = Vec::new();
        for (n, rule) in (1..).zip(raw.rules) {
            let (span, place) = (rule.span(), format!("{place}, rule {n}"));
            let rule = check_rule(&name, form.kind, rule.into_inner());
            rules.push(rule.map_err(|what| self.wrong(Some(span), &place, &what))?);
        }
        Ok(Column {
            name,
            form,
            description: raw.description,
            synonyms: raw.synonyms,
            rules,
            is_asked: raw.model,
        })
    }
}

/// Checks a text in a bucket, which describes the bucket.
fn check_text(key: &str, text: &str) -> Result<(), String> {
    if RECORDS.contains(&key) {
        let is_path = (1..=DESCRIPTION_BYTES_MAX).contains(&text.len());
        return is_path.then_some(()).ok_or_else(|| {
            format!("want a field of the records, as in `{key} = \"payload.{key}\"`")
        });
    }
    if key != DESCRIPTION {
        return Err(format!(
            "a text among columns: want a table `[<bucket>.{key}]`, or `{DESCRIPTION}` for what the bucket holds"
        ));
    }
    check_description(text)
}

/// Checks a list in a bucket, which names the bucket.
fn check_list(key: &str, names: &[String]) -> Result<(), String> {
    if key != SYNONYMS {
        return Err(format!(
            "a list among columns: want a table `[<bucket>.{key}]`, or `{SYNONYMS}` for what people call its documents"
        ));
    }
    check_synonyms(names)
}

fn check_synonyms(names: &[String]) -> Result<(), String> {
    if names.len() > SYNONYMS_MAX {
        return Err(format!("{} synonyms: at most {SYNONYMS_MAX}", names.len()));
    }
    let is_good = |name: &&String| {
        let words = name.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).count();
        (1..=SYNONYM_WORDS_MAX).contains(&words) && name.len() <= NAME_BYTES_MAX
    };
    match names.iter().find(|name| !is_good(name)) {
        Some(name) => Err(format!(
            "the synonym `{name}`: want 1 to {SYNONYM_WORDS_MAX} words and at most {NAME_BYTES_MAX} bytes"
        )),
        None => Ok(()),
    }
}

fn check_description(text: &str) -> Result<(), String> {
    match text.len() > DESCRIPTION_BYTES_MAX {
        true => Err(format!(
            "`description` has at most {DESCRIPTION_BYTES_MAX} bytes"
        )),
        false => Ok(()),
    }
}

fn check_column(name: &str, raw: &RawColumn) -> Result<(), String> {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.len() > NAME_BYTES_MAX || name.is_empty() || !name.chars().all(good) {
        return Err("a column is called by 1 to 64 of a-z, 0-9 and _".into());
    }
    if BUILT_IN_FIELDS.contains(&name) {
        return Err("every document has a field of this name already: take another one".into());
    }
    if raw
        .unit
        .as_ref()
        .is_some_and(|unit| unit.is_empty() || unit.len() > NAME_BYTES_MAX)
    {
        return Err(format!("`unit` has 1 to {NAME_BYTES_MAX} bytes"));
    }
    check_description(&raw.description)?;
    check_synonyms(&raw.synonyms)?;
    let is_number = raw.kind == ValueKind::Number;
    if !is_number && (raw.unit.is_some() || raw.decimal.is_some()) {
        return Err("`unit` and `decimal` are for the type `number`".into());
    }
    if raw.kind != ValueKind::Date && raw.order.is_some() {
        return Err("`order` is for the type `date`".into());
    }
    if raw.kind == ValueKind::Bool && raw.model {
        return Err(
            "`model` is not for the type `bool`: an answer has to stand in the text".into(),
        );
    }
    match raw.rules.len() > RULES_MAX {
        true => Err(format!("{} rules: at most {RULES_MAX}", raw.rules.len())),
        false => Ok(()),
    }
}

fn check_rule(column: &str, kind: ValueKind, raw: RawRule) -> Result<Rule, String> {
    let from = raw.from.unwrap_or(match raw.labels {
        Some(_) => From::Text,
        None => From::Metadata,
    });
    let said = said(from, &raw, column);
    let how = match (from, raw.keys, raw.labels, raw.pattern) {
        (From::Metadata, keys, None, None) => How::Keys(check_keys(column, keys)?),
        (From::Text, None, Some(labels), None) => How::Labels(check_labels(labels)?),
        (From::Title | From::Path | From::Heading | From::Text, None, None, Some(pattern)) => {
            How::Pattern(check_pattern(&pattern)?)
        }
        _ => {
            return Err(
                "a rule is one of `from = \"metadata\"` (with `keys`), `labels`, or `from = \
                \"title\" | \"path\" | \"heading\" | \"text\"` with a `pattern`"
                    .into(),
            );
        }
    };
    if !can_pick(kind, raw.pick) {
        return Err(
            "`pick`: \"max\" is for `number` and `date`, \"all\" is for `list of text`".into(),
        );
    }
    if (raw.lines.is_some() || raw.pages.is_some()) && !matches!(from, From::Text | From::Heading) {
        return Err("`lines` and `pages` are for what stands in the text".into());
    }
    if raw.lines == Some(0) || raw.pages == Some(0) {
        return Err("`lines` and `pages` are counted from 1".into());
    }
    Ok(Rule {
        from,
        how,
        pick: raw.pick,
        lines: raw.lines,
        pages: raw.pages,
        said,
    })
}

fn check_keys(column: &str, keys: Option<Vec<String>>) -> Result<Vec<String>, String> {
    let keys = keys.unwrap_or_else(|| vec![column.to_owned()]);
    let keys: Vec<String> = keys.iter().map(|key| key.trim().to_lowercase()).collect();
    let good = (1..=RULES_MAX).contains(&keys.len()) && keys.iter().all(|key| !key.is_empty());
    good.then_some(keys)
        .ok_or_else(|| format!("`keys` is a list of 1 to {RULES_MAX} names of fields"))
}

fn check_labels(labels: Vec<String>) -> Result<Vec<Label>, String> {
    let folded: Vec<Label> = labels.iter().map(|label| Label::new(label)).collect();
    let good = (1..=RULES_MAX).contains(&folded.len())
        && !folded.iter().any(Label::is_empty)
        && labels.iter().all(|label| label.len() <= NAME_BYTES_MAX);
    good.then_some(folded).ok_or_else(|| {
        format!("`labels` is a list of 1 to {RULES_MAX} texts with a letter or digit, of at most {NAME_BYTES_MAX} bytes")
    })
}

fn check_pattern(pattern: &str) -> Result<regex::Regex, String> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(format!("`pattern` has at most {PATTERN_BYTES_MAX} bytes"));
    }
    let built = RegexBuilder::new(pattern)
        .size_limit(PATTERN_SIZE_MAX)
        .dfa_size_limit(PATTERN_SIZE_MAX)
        .build();
    let built = built.map_err(|error| format!("`pattern`: {}", told(&error)))?;
    match built.captures_len() {
        2 => Ok(built),
        n => Err(format!(
            "`pattern` has {} groups: want one `( )` around the value, `(?: )` for others",
            n - 1
        )),
    }
}

/// The sentence of a pattern's error, without its picture of the pattern.
fn told(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default().trim();
    last.trim_start_matches("error: ").to_owned()
}

/// A rule in a few words.
fn said(from: From, raw: &RawRule, column: &str) -> String {
    let word = serde_json::to_value(from).unwrap_or_default();
    let word = word.as_str().unwrap_or_default().to_owned();
    let quoted = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let mut said = match (&raw.labels, &raw.pattern, &raw.keys) {
        (Some(labels), ..) => format!("labels {}", quoted(labels)),
        (_, Some(pattern), _) => format!("{word} /{pattern}/"),
        (_, _, Some(keys)) => format!("metadata {}", quoted(keys)),
        _ => format!("metadata `{column}`"),
    };
    if raw.pick != Pick::First {
        said.push_str(&format!(", {}", format!("{:?}", raw.pick).to_lowercase()));
    }
    for (limit, what) in [(raw.lines, "lines"), (raw.pages, "pages")] {
        if let Some(n) = limit {
            said.push_str(&format!(", within {n} {what}"));
        }
    }
    said
}
