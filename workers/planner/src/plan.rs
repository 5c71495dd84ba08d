//! Reads a plan out of a model's reply.

use crate::corpus_note::CorpusNote;
use crate::lists::ListLimits;
use crate::meaning;
use crate::options::Options;
use crate::sub_queries;
use envelope::limits::QUESTION_CHARS_MAX;
use envelope::{Condition, ConditionOrigin, Fallback, Filter, Op, Plan, QuestionClass};
use llm::json;
use serde_json::Value;
use text::words;

/// The longest keyword, in characters; a longer one is a sentence.
const KEYWORD_CHARS_MAX: usize = 80;
/// The shortest part of a file name, in characters, because shorter ones stand in many paths.
const HINT_CHARS_MIN: usize = 3;
/// Longest file extension, in characters.
const EXTENSION_CHARS_MAX: usize = 5;

/// What a reply is read with.
#[derive(Clone, Copy)]
pub(crate) struct ReadBy<'a> {
    pub(crate) options: &'a Options,
    pub(crate) limits: ListLimits,
    pub(crate) corpus: &'a CorpusNote,
}

/// A plan that was read.
#[derive(Debug, PartialEq)]
pub(crate) struct PlanReading {
    pub(crate) plan: Plan,
    /// The fallbacks for what was left out of the plan or defaulted.
    pub(crate) fallbacks: Vec<Fallback>,
}

/// The fields of a reply, as far as they can be read.
pub(crate) fn fields(answer: &str) -> Value {
    match json::read_object(answer) {
        Some((object, _)) => object,
        None => Value::from_iter(
            ["keywords", "sub_queries"].map(|field| (field, json::field_strings(answer, field))),
        ),
    }
}

/// The plan that a reply describes for `question`; `None` when it describes none.
pub(crate) fn read(object: &Value, question: &str, by: ReadBy<'_>) -> Option<PlanReading> {
    let keywords = keywords(object, by.limits.keywords);
    let rewritten = text(object, "query").filter(|q| q.chars().count() <= QUESTION_CHARS_MAX);
    let filter = filter(object, question, by.options);
    let mut parts = sub_queries::read(object, question);
    let meaning = meaning::read(object, question, &by.corpus.buckets);
    let is_nothing = keywords.is_empty() && rewritten.is_none() && filter.is_empty();
    if is_nothing && parts.queries.is_empty() && !meaning.is_said {
        return None;
    }
    let mut class = meaning.plan.class;
    if !meaning.class_is_said && class == QuestionClass::Simple && parts.queries.len() > 1 {
        // Who writes several searches has seen several things in it.
        class = QuestionClass::MultiStep;
    }
    let mut fallbacks = meaning.fallbacks;
    let count = parts.cut(by.limits.sub_queries(class));
    if count > 0 {
        fallbacks.push(Fallback::SubQueriesTrimmed { count });
    }
    let mut plan = Plan {
        query: worded(rewritten.unwrap_or(question), &keywords),
        keywords,
        sub_queries: parts.queries,
        purposes: parts.purposes,
        filter,
        class,
        ..meaning.plan
    };
    by.corpus.settle(&mut plan, object);
    Some(PlanReading { plan, fallbacks })
}

/// The plan for a question without a model's plan: `query`, with what rules read in it.
pub(crate) fn by_rules(plain: Plan) -> Plan {
    let read = meaning::by_rules(&plain.query);
    Plan {
        query: plain.query,
        context: plain.context,
        ..read
    }
}

/// The query, with every keyword in it that adds a word. A later round remembers only the query of a plan, so all
/// that distinguishes the plan has to stand there.
fn worded(query: &str, keywords: &[String]) -> String {
    let mut worded = query.trim().to_owned();
    for keyword in keywords {
        let known = words::content(&worded);
        if words::content(keyword)
            .iter()
            .any(|word| !known.contains(word))
        {
            worded.push(' ');
            worded.push_str(keyword);
        }
    }
    worded
}

fn keywords(object: &Value, most: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let listed = match object.get("keywords") {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => one.split(',').collect(),
        _ => Vec::new(),
    };
    for keyword in listed {
        let keyword = text::one_line(keyword);
        let fits = (1..=KEYWORD_CHARS_MAX).contains(&keyword.chars().count());
        let new = kept
            .iter()
            .all(|k| k.to_lowercase() != keyword.to_lowercase());
        if fits && new && kept.len() < most {
            kept.push(keyword);
        }
    }
    kept
}

/// The filter by which the planner may narrow the search. Its two conditions are on the same field, and both have to
/// hold.
fn filter(object: &Value, question: &str, options: &Options) -> Filter {
    let named = |hint: &str| options.unnamed_hints || is_named(hint, question);
    let extension = text(object, "file_filter")
        .and_then(extension)
        .filter(|extension| named(extension));
    let hint = text(object, "source_hint")
        .filter(|hint| hint.chars().count() >= HINT_CHARS_MIN)
        .filter(|hint| hint.trim_start_matches('.') != extension.as_deref().unwrap_or_default())
        .filter(|hint| named(hint));
    let contained = extension
        .map(|extension| format!(".{extension}"))
        .into_iter()
        .chain(hint.map(str::to_owned));
    let condition = |value| Condition::new("source", Op::Contains, value, ConditionOrigin::Planner);
    Filter(contained.map(condition).collect())
}

/// A text field that holds a value; models write `"null"` and `"none"` where there is none.
fn text<'a>(object: &'a Value, field: &str) -> Option<&'a str> {
    let text = object.get(field)?.as_str()?.trim();
    let nothing = ["", "null", "none", "n/a", "any", "all", "unknown", "nil"];
    let said = !nothing.contains(&text.to_ascii_lowercase().as_str());
    said.then_some(text)
}

/// The extension `pdf` of `pdf`, `.PDF` or `*.pdf`.
fn extension(text: &str) -> Option<String> {
    let bare = text.trim_start_matches(['*', '.']).to_ascii_lowercase();
    let fits = (1..=EXTENSION_CHARS_MAX).contains(&bare.len())
        && bare.bytes().all(|b| b.is_ascii_alphanumeric());
    fits.then_some(bare)
}

/// Whether the question mentions every word of a hint, apart from a file extension at its end.
fn is_named(hint: &str, question: &str) -> bool {
    let stem = match hint.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && extension(end).is_some() => stem,
        _ => hint,
    };
    let asked = words::content(question);
    let hinted = words::content(stem);
    !hinted.is_empty() && hinted.iter().all(|word| asked.contains(word))
}
