//! One rule of a column: it states where a value is written in a document, and finds the value there. Pure.

use super::label::{Folded, Label, value_behind};
use super::value::{ITEMS_MAX, UnfitValue, ValueForm, ValueKind};
use documents::Document;
use documents::document::NumberedLine;
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::OnceCell;
use std::cmp::Ordering;

/// How much of a document rules look at, in bytes of its text.
const TEXT_BYTES_MAX: usize = 1024 * 1024;
/// How much of a line rules look at, in bytes.
const LINE_BYTES_MAX: usize = 8 * 1024;
/// The most values from which one rule chooses.
const HITS_MAX: usize = 1_000;
/// The most places at which one rule looks for a value.
const PLACES_MAX: usize = 10_000;
/// How much of the text that was found is shown, in characters.
const SHOWN_CHARS: usize = 80;

/// Where a value is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum From {
    /// The metadata that the publisher, the front matter or the file states of the document.
    Metadata,
    /// The title.
    Title,
    /// The path inside the corpus.
    Path,
    /// The headings.
    Heading,
    /// Every line of the text.
    Text,
}

/// Which of several values is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Pick {
    /// The first one.
    #[default]
    First,
    /// The last one.
    Last,
    /// The greatest one.
    Max,
    /// All of them.
    All,
}

/// How a value is told from the text around it.
#[derive(Debug, Clone)]
pub(super) enum How {
    /// The value is one of these fields.
    Keys(Vec<String>),
    /// The value stands behind one of these labels.
    Labels(Vec<Label>),
    /// The value is what the group of the pattern matches.
    Pattern(Regex),
}

/// A rule that has been checked.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) from: From,
    pub(super) how: How,
    pub(super) pick: Pick,
    /// The rule applies to so many lines from the beginning only.
    pub(super) lines: Option<u32>,
    /// The rule applies to so many pages from the beginning only.
    pub(super) pages: Option<u32>,
    /// The rule as the schema has it, in short.
    pub(super) said: String,
}

/// The place in a document where a value was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RulePlace {
    /// In this field of the metadata.
    Metadata(String),
    /// In the title.
    Title,
    /// In the path.
    Path,
    /// On this line, and on this page where there are pages.
    Line(u32, Option<u32>),
}

/// The result of a rule on a document.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tried {
    /// The value, where it stands, and the text that stands there.
    pub(super) found: Option<(Value, RulePlace, String)>,
    /// The first thing that was found and is no value.
    pub(super) unfit: Option<(UnfitValue, RulePlace)>,
}

/// A document in the form in which rules look at it.
pub(super) struct Text<'a> {
    document: &'a Document,
    lines: &'a [NumberedLine],
    /// The lines as labels are looked for in them, made when the first label is looked for.
    folded: OnceCell<Vec<Folded>>,
}

impl<'a> Text<'a> {
    pub(super) fn new(document: &'a Document) -> Text<'a> {
        let mut left = TEXT_BYTES_MAX;
        let fits = |line: &&NumberedLine| {
            left = left.saturating_sub(line.text.len() + 1);
            left > 0
        };
        let count = document.lines.iter().take_while(fits).count().max(1);
        Text {
            document,
            lines: &document.lines[..count.min(document.lines.len())],
            folded: OnceCell::new(),
        }
    }

    /// The lines that a rule may look at, with their places in the document.
    fn lines(&self, rule: &Rule) -> impl Iterator<Item = (usize, &'a NumberedLine)> {
        let (lines, pages) = (rule.lines.unwrap_or(u32::MAX), rule.pages);
        self.lines
            .iter()
            .enumerate()
            .take(lines as usize)
            .take_while(move |(_, line)| pages.is_none_or(|max| line.page.unwrap_or(1) <= max))
    }

    fn folded(&self) -> &[Folded] {
        let fold = |line: &NumberedLine| Folded::new(cut(&line.text));
        self.folded
            .get_or_init(|| self.lines.iter().map(fold).collect())
    }
}

/// The part of a line that is looked at.
fn cut(line: &str) -> &str {
    let mut end = line.len().min(LINE_BYTES_MAX);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

fn place(line: &NumberedLine) -> RulePlace {
    RulePlace::Line(line.number, line.page)
}

/// What a rule has found so far.
struct Hits<'a> {
    form: &'a ValueForm,
    pick: Pick,
    hits: Vec<(Value, RulePlace, String)>,
    unfit: Option<(UnfitValue, RulePlace)>,
    /// How many places it has looked at.
    places: usize,
}

impl Hits<'_> {
    /// Whether enough was found, so that the next place is not looked at.
    fn is_enough(&mut self) -> bool {
        self.places += 1;
        let is_found = self.pick == Pick::First && !self.hits.is_empty();
        is_found || self.hits.len() >= HITS_MAX || self.places > PLACES_MAX
    }

    fn add(&mut self, read: Result<Value, UnfitValue>, place: RulePlace, said: &str) {
        match read {
            // What was found last replaces what was found before it: nothing is piled up.
            Ok(value) => {
                if self.pick == Pick::Last {
                    self.hits.clear();
                }
                let said = said.chars().take(SHOWN_CHARS).collect();
                self.hits.push((value, place, said));
            }
            Err(unfit) if self.unfit.is_none() => self.unfit = Some((unfit, place)),
            Err(_) => {}
        }
    }

    /// The value of what a pattern caught. For a list, each of several values is one item.
    fn read(&self, said: &str) -> Result<Value, UnfitValue> {
        match self.pick {
            Pick::All => self.form.value(&Value::from(vec![said])),
            _ => self.form.read(said),
        }
    }

    fn end(mut self) -> Tried {
        let unfit = self.unfit.take();
        let found = match self.pick {
            Pick::First => self.hits.into_iter().next(),
            Pick::Last => self.hits.pop(),
            Pick::Max => self
                .hits
                .into_iter()
                .reduce(|a, b| match order(&a.0, &b.0) {
                    Ordering::Less => b,
                    _ => a,
                }),
            Pick::All => all(self.hits),
        };
        Tried { found, unfit }
    }
}

/// The order of two values: numbers by size, days by time.
fn order(a: &Value, b: &Value) -> Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.as_str().cmp(&b.as_str()),
    }
}

/// Joins lists into one that holds each item once; it stands where the first of them does.
fn all(hits: Vec<(Value, RulePlace, String)>) -> Option<(Value, RulePlace, String)> {
    let mut items: Vec<Value> = Vec::new();
    let (_, place, said) = hits.first()?.clone();
    for item in hits
        .iter()
        .filter_map(|(value, ..)| value.as_array())
        .flatten()
    {
        if items.len() < ITEMS_MAX && !items.contains(item) {
            items.push(item.clone());
        }
    }
    Some((Value::Array(items), place, said))
}

impl Rule {
    /// Looks for a value of this form.
    pub(super) fn run(&self, form: &ValueForm, text: &Text<'_>) -> Tried {
        let mut hits = Hits {
            form,
            pick: self.pick,
            hits: Vec::new(),
            unfit: None,
            places: 0,
        };
        match &self.how {
            How::Keys(keys) => {
                for key in keys {
                    if let Some(said) = text.document.metadata.get(key) {
                        let place = RulePlace::Metadata(key.clone());
                        hits.add(form.value(said), place, &said.to_string());
                    }
                }
            }
            How::Pattern(pattern) => self.match_pattern(pattern, text, &mut hits),
            How::Labels(labels) => {
                self.match_labels(labels, text, &mut hits, false);
                if hits.hits.is_empty() {
                    hits.places = 0;
                    self.match_labels(labels, text, &mut hits, true);
                }
            }
        }
        hits.end()
    }

    fn match_pattern(&self, pattern: &Regex, text: &Text<'_>, hits: &mut Hits<'_>) {
        // Whether to go on looking.
        let mut look = |said: &str, place: RulePlace| -> bool {
            for caught in pattern.captures_iter(said) {
                if hits.is_enough() {
                    return false;
                }
                let group = caught.get(1).map(|group| group.as_str().trim());
                if let Some(group) = group.filter(|group| !group.is_empty()) {
                    hits.add(hits.read(group), place.clone(), group);
                }
            }
            true
        };
        let mut lines = text.lines(self).map(|(_, line)| line);
        let _ = match self.from {
            From::Title => look(&text.document.title, RulePlace::Title),
            From::Path => look(&text.document.source, RulePlace::Path),
            From::Heading => lines.all(|line| {
                let heading = documents::chunk::heading(cut(&line.text));
                heading.is_none_or(|(_, heading)| look(heading, place(line)))
            }),
            From::Text | From::Metadata => lines.all(|line| look(cut(&line.text), place(line))),
        };
    }

    fn match_labels(&self, labels: &[Label], text: &Text<'_>, hits: &mut Hits<'_>, nearly: bool) {
        for (at, line) in text.lines(self) {
            let (said, folded) = (cut(&line.text), &text.folded()[at]);
            let places = labels
                .iter()
                .flat_map(|label| label.places(said, folded, nearly));
            let mut places: Vec<_> = places.collect();
            places.sort_unstable_by_key(|place| place.end);
            for label in places {
                if hits.is_enough() {
                    return;
                }
                // A label in a sentence need not have a value: that is no fault of the document.
                if let Some((value, window)) = value_behind(said, &label, hits.form) {
                    hits.add(Ok(value), place(line), &window);
                }
            }
        }
    }
}

/// Whether a way to choose makes sense for a type.
pub(super) fn can_pick(kind: ValueKind, pick: Pick) -> bool {
    match pick {
        Pick::First | Pick::Last => true,
        Pick::Max => matches!(kind, ValueKind::Number | ValueKind::Date),
        Pick::All => kind == ValueKind::List,
    }
}
