//! Finds the topics of a question, in a few words each. They are the words that remain when the conditions, the words
//! of the request (`list`, `show`, `compare`) and words without content (`the`, `which`) are left out.

use super::condition::WordedCondition;
use super::words::QuestionWord;
use crate::stop;

/// Most topics of a question.
const TOPICS_MAX: usize = 4;
/// Most words of one.
const WORDS_MAX: usize = 5;

/// The topics of a question, in its order.
pub(super) fn read(words: &[QuestionWord<'_>], conditions: &[WordedCondition]) -> Vec<String> {
    let mut topics: Vec<String> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for word in words {
        let is_said = conditions
            .iter()
            .any(|condition| condition.from <= word.from && word.to <= condition.to);
        let is_empty = stop::is_content_free(&word.word) || word.is(words!(requests));
        if !(is_said || is_empty) {
            run.push(&word.word);
        }
        if is_said || is_empty || word.closes() {
            push(&mut topics, &mut run);
        }
    }
    push(&mut topics, &mut run);
    topics
}

fn push(topics: &mut Vec<String>, run: &mut Vec<&str>) {
    let topic = run
        .iter()
        .take(WORDS_MAX)
        .copied()
        .collect::<Vec<_>>()
        .join(" ");
    run.clear();
    if !topic.is_empty() && topics.len() < TOPICS_MAX && !topics.contains(&topic) {
        topics.push(topic);
    }
}
