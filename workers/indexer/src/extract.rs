//! Asks a model for the columns that no rule found. No other code of the indexer calls a model.
//!
//! There is at most one call for a document. A value in the reply is used if it fits its column and occurs in the
//! text that the model was shown; any other value is refused as invented. If the call fails, the document is indexed
//! without the column.
//!
//! A document that is stored in the same version by the same pipeline is not indexed again. The name of the pipeline
//! includes the schemas, the model and the prompt. If the document is indexed again all the same, for another edition
//! or by force, a stored reply ([`Answers`]) replaces the call.

use crate::answers::{self, Answers};
use crate::options::Options;
use crate::schema::{Column, Misfit, Table, UnfitValue, ValueKind};
use documents::Document;
use envelope::{Role, TurnId};
use llm::{
    ChatModel, ChatRequest, EmbeddedPrompt, Prompt, PromptError, Prompts, ReplySchema, json, tokens,
};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// What small models write when they have no value.
const NOTHING: [&str; 8] = [
    "",
    "null",
    "none",
    "n/a",
    "-",
    "unknown",
    "not found",
    "not stated",
];
/// The reason for refusing a value that fits its column but stands nowhere in the text.
const INVENTED: &str = "was answered and does not stand in the document";

/// How much longer than its own time limit a call may take.
const GRACE: Duration = Duration::from_secs(5);

/// The prompt for the values of columns in a document.
const PROMPT: EmbeddedPrompt = EmbeddedPrompt {
    name: "indexer",
    text: include_str!("../prompts/indexer.md"),
    placeholders: &["columns", "source", "title", "text"],
};

/// Asks a model for the values of columns.
pub struct Extractor {
    model: Arc<dyn ChatModel>,
    prompt: Prompt,
    answers: Option<Arc<dyn Answers>>,
    text_tokens: u32,
    answer_tokens: u32,
    timeout: Duration,
}

/// The result of asking.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Extracted {
    /// How many columns have a value now.
    pub(crate) found: u32,
    /// Values that do not fit their column.
    pub(crate) misfits: Vec<Misfit>,
    /// Values that stand nowhere in the text.
    pub(crate) invented: Vec<Misfit>,
    /// Why there is no reply: a code and a sentence.
    pub(crate) failed: Option<(&'static str, String)>,
}

impl Extractor {
    /// Every prompt with which the extractor asks its model.
    pub const PROMPTS: [EmbeddedPrompt; 1] = [PROMPT];

    /// Makes an extractor that asks `model`. It fails when the prompt is invalid.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        options: &Options,
    ) -> Result<Extractor, PromptError> {
        Ok(Extractor {
            model,
            prompt: prompts.get(&PROMPT)?,
            answers: None,
            text_tokens: options.extract_tokens,
            answer_tokens: options.extract_answer_tokens,
            timeout: options.extract_timeout.duration(),
        })
    }

    /// The extractor with a store that keeps its replies.
    pub fn keeping(self, answers: Arc<dyn Answers>) -> Extractor {
        Extractor {
            answers: Some(answers),
            ..self
        }
    }

    /// The name of the model and the prompt. Columns that another model or prompt made are made again.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.model.name(), self.prompt.version())
    }

    /// Sets those of the `missing` columns that the model may be asked for and for which it finds a value.
    pub(crate) async fn ask(
        &self,
        table: &Table,
        missing: &[usize],
        document: &mut Document,
    ) -> Extracted {
        let columns = missing.iter().filter_map(|&at| table.columns.get(at));
        let columns: Vec<&Column> = columns.filter(|column| column.is_asked).collect();
        if columns.is_empty() {
            return Extracted::default();
        }
        let text = head(document, self.text_tokens);
        let request = match self.request(&columns, document, &text) {
            Ok(request) => request,
            Err(error) => return failed(&columns, "indexer_prompt", &error),
        };
        let text = format!("{}\n{text}", document.title);
        match self.answer(&request).await {
            Err(error) => failed(&columns, envelope::Classify::code(&error), &error),
            Ok(answer) => match json::read_object(&answer) {
                Some((Value::Object(answers), _)) => {
                    take(table, &columns, answers, &text, document)
                }
                _ => failed(&columns, "model_json", &"no JSON object in the answer"),
            },
        }
    }

    /// The model's reply, kept or fresh. Only a reply that can be read is kept.
    async fn answer(&self, request: &ChatRequest) -> Result<String, llm::Error> {
        let key = answers::key(self.model.name(), request);
        if let Some(answers) = &self.answers
            && let Some(answer) = answers.find(&key).await
        {
            return Ok(answer);
        }
        // The model keeps to the time by itself; this holds whatever it does.
        let limit = self.timeout + GRACE;
        let reply = tokio::time::timeout(limit, self.model.chat(request)).await;
        let answer = reply
            .unwrap_or(Err(llm::Error::TimedOut(self.timeout)))?
            .text;
        if let Some(answers) = &self.answers
            && json::read_object(&answer).is_some_and(|(value, _)| value.is_object())
        {
            answers.keep(&key, &answer).await;
        }
        Ok(answer)
    }

    fn request(
        &self,
        columns: &[&Column],
        document: &Document,
        text: &str,
    ) -> Result<ChatRequest, PromptError> {
        let lines: Vec<String> = columns.iter().map(|column| line(column)).collect();
        let prompt = self.prompt.render(&[
            ("columns", &lines.join("\n")),
            ("source", &document.source),
            ("title", &document.title),
            ("text", text),
        ])?;
        Ok(ChatRequest {
            role: Role::Indexer,
            model: None,
            // No turn asks: one document stands for it.
            turn: TurnId::new(document.doc_id.as_str()).expect("ids keep one rule"),
            tenant: document.tenant.clone(),
            system: prompt.system,
            user: prompt.user,
            max_tokens: self.answer_tokens,
            likely: 0,
            schema: Some(shape(columns)),
            timeout: self.timeout,
        })
    }
}

/// A column as the prompt describes it to the model.
fn line(column: &Column) -> String {
    let kind = match column.form.kind {
        ValueKind::List => "list of texts",
        kind => kind.as_str(),
    };
    let mut line = format!("- \"{}\": {kind}", column.name);
    if let Some(unit) = &column.form.unit {
        line.push_str(&format!(" in {unit}"));
    }
    if !column.description.is_empty() {
        line.push_str(&format!(", {}", column.description));
    }
    line
}

/// The form of the reply. Values are copied from the text, so all of them are texts.
fn shape(columns: &[&Column]) -> ReplySchema {
    let of = |column: &&Column| match column.form.kind {
        ValueKind::List => {
            let most = crate::schema::ITEMS_MAX;
            serde_json::json!({"type": "array", "items": {"type": "string"}, "maxItems": most})
        }
        _ => serde_json::json!({"type": "string"}),
    };
    let properties: Map<String, Value> = columns
        .iter()
        .map(|column| (column.name.clone(), of(column)))
        .collect();
    ReplySchema::new("columns", Value::Object(properties))
}

/// The beginning of the text, of at most so many tokens.
fn head(document: &Document, tokens_max: u32) -> String {
    let mut text = String::new();
    let mut left = tokens_max;
    for line in &document.lines {
        let cost = tokens::estimate(&line.text) + 1;
        if cost > left {
            // No sign costs more than a token.
            text.extend(line.text.chars().take(left as usize));
            break;
        }
        left -= cost;
        text.push_str(&line.text);
        text.push('\n');
    }
    text
}

fn failed(columns: &[&Column], code: &'static str, why: &dyn std::fmt::Display) -> Extracted {
    let names: Vec<String> = columns.iter().map(|c| format!("`{}`", c.name)).collect();
    let text = format!(
        "the model did not say {}: {why}; index it again to ask again",
        names.join(", ")
    );
    Extracted {
        failed: Some((code, text)),
        ..Extracted::default()
    }
}

fn take(
    table: &Table,
    columns: &[&Column],
    mut answers: Map<String, Value>,
    text: &str,
    document: &mut Document,
) -> Extracted {
    let mut extracted = Extracted::default();
    for column in columns {
        let answer = answers.remove(&column.name).unwrap_or_default();
        if is_nothing(&answer) {
            continue;
        }
        let misfit = |unfit| Misfit {
            column: column.name.clone(),
            unfit,
        };
        match column.form.value(&answer) {
            Err(unfit) => extracted.misfits.push(misfit(unfit)),
            Ok(value) if !column.form.stands_in(&value, text) => {
                let unfit = UnfitValue::new(&value.to_string(), INVENTED);
                extracted.invented.push(misfit(unfit));
            }
            Ok(value) => match table.set(document, &column.name, value) {
                Ok(()) => extracted.found += 1,
                Err(unfit) => extracted.misfits.push(misfit(unfit)),
            },
        }
    }
    extracted
}

fn is_nothing(answer: &Value) -> bool {
    match answer {
        Value::Null => true,
        Value::String(text) => NOTHING.contains(&text.trim().to_lowercase().as_str()),
        Value::Array(items) => items.iter().all(is_nothing),
        _ => false,
    }
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
