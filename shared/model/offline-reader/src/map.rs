//! The mapper of the offline reader: tells whether a passage answers a question, and picks the sentences that do.

use super::lexicon::Lexicon;
use super::question::Question;
use super::score::{Passage, Reading, Scored};
use super::vocabulary::is_back;
use llm::tokens;
use serde_json::json;

/// Most facts taken from one passage.
const FACTS_MAX: usize = 4;
/// Least score of a sentence.
const SCORE_MIN: f32 = 0.45;
/// Least share of the plain words of the question in a sentence and around it.
const REACH_MIN: f32 = 0.34;
/// Least score of a further sentence, as a share of the best one.
const FURTHER_MIN: f32 = 0.7;

/// The mapper's JSON.
pub(super) fn write(lexicon: &Lexicon, question: &str, section: &str, max_tokens: u32) -> String {
    let questions = Question::parts(lexicon, question);
    let (title, text) = head(section);
    let mut facts = facts(lexicon, &questions, &title, text);
    loop {
        let answer = json!({"grade": u8::from(!facts.is_empty()), "facts": facts}).to_string();
        if facts.len() <= 1 || tokens::estimate(&answer) <= max_tokens {
            return answer;
        }
        facts.pop();
    }
}

/// The sentences of a passage that answer one of the questions, best first; none if none do.
fn facts(lexicon: &Lexicon, questions: &[Question], title: &str, text: &str) -> Vec<String> {
    let mut found: Vec<(f32, String)> = Vec::new();
    let each = FACTS_MAX.div_ceil(questions.len().max(1));
    let passage = Passage::new(lexicon, title, text);
    for question in questions {
        for scored in select(&Reading::new(&passage, question), each) {
            let fact = quote(&passage, scored);
            if !found.iter().any(|(_, known)| *known == fact) {
                found.push((scored.score, fact));
            }
        }
    }
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found
        .into_iter()
        .map(|(_, fact)| fact)
        .take(FACTS_MAX)
        .collect()
}

/// The units of a passage that answer, best first.
pub(super) fn select(reading: &Reading<'_>, most: usize) -> Vec<Scored> {
    if !reading.is_about() {
        return Vec::new();
    }
    let mut ranked = reading.ranked();
    ranked.retain(|scored| scored.score >= SCORE_MIN && scored.reach >= REACH_MIN);
    let least = ranked.first().map_or(0.0, |best| best.score * FURTHER_MIN);
    ranked.retain(|scored| scored.score >= least);
    ranked.truncate(most);
    ranked
}

/// A unit as a fact: with the sentence before it when it points back.
pub(super) fn quote(passage: &Passage<'_>, scored: Scored) -> String {
    let unit = &passage.units[scored.at];
    let lower = unit.text.to_lowercase();
    let points_back = lower.split_once(' ').is_some_and(|(word, _)| is_back(word));
    match unit.before.filter(|_| points_back) {
        Some(before) => format!("{} {}", passage.units[before].text, unit.text),
        None => unit.text.clone(),
    }
}

/// Parts the `source:` and `title:` lines from the text.
fn head(section: &str) -> (String, &str) {
    let mut title = String::new();
    let mut rest = section;
    for key in ["source:", "title:", "source:"] {
        if let Some(after) = rest.strip_prefix(key) {
            let (line, below) = after.split_once('\n').unwrap_or((after, ""));
            title.push_str(line);
            title.push('\n');
            rest = below.trim_start();
        }
    }
    (title, rest)
}
