//! Recognises the form in which an answer is wanted (prose, list, table), and the way in which a question is to be
//! searched for.

use super::words::QuestionWord;
use envelope::AnswerForm;

/// The form that a question asks for.
pub(super) fn form(words: &[QuestionWord<'_>]) -> AnswerForm {
    let mut told = (0..words.len()).filter_map(|at| at_word(words, at));
    told.next().unwrap_or_default()
}

fn at_word(words: &[QuestionWord<'_>], at: usize) -> Option<AnswerForm> {
    let form = match words[at].word.as_str() {
        "csv" => AnswerForm::Csv,
        "table" | "tabular" => AnswerForm::Table,
        "list" | "bullets" | "bullet" => AnswerForm::List,
        "tabulate" if at == 0 => return Some(AnswerForm::Table),
        _ => return None,
    };
    let next = |any: &str| words.get(at + 1).is_some_and(|word| word.is(any));
    // `in table 3` is a place in a document, `in the csv` and `CSV files` are documents.
    let is_place = words.get(at + 1).is_some_and(QuestionWord::has_digit);
    let before: Vec<&QuestionWord<'_>> = words[..at].iter().rev().take(3).collect();
    let between = before.iter();
    let between = between.take_while(|word| word.is(words!(asked_between)));
    let between = between.count();
    let the = before.first().is_some_and(|word| word.word == "the");
    let asked = before.get(between).is_some_and(|word| word.is(words!(as))) && !the;
    let given = before
        .iter()
        .any(|word| word.is("give create make produce want"))
        && !the;
    let exported = form == AnswerForm::Csv && next("export format");
    (exported || !is_place && (asked || given)).then_some(form)
}

/// Whether sources are not to be named.
pub(super) fn declines_citations(words: &[QuestionWord<'_>]) -> bool {
    let declines = |three: &[QuestionWord<'_>]| {
        let cites = three[1..].iter().any(|word| word.is(words!(sources)));
        cites && three[0].is("don't no not omit skip without")
    };
    words.windows(2).any(declines)
        || words
            .windows(3)
            .any(|three| declines(three) && three[1].is("any cite naming citing"))
}

/// Whether the words themselves are what is looked for: a quotation, or nothing but an identifier.
pub(super) fn is_literal(question: &str, words: &[QuestionWord<'_>]) -> bool {
    let quoted = question.matches('"').count() >= 2 || question.contains('“');
    let is_identifier = |word: &QuestionWord<'_>| {
        word.has_digit() && word.word.chars().any(char::is_alphabetic) && !word.is_period()
    };
    quoted && words.len() <= 12
        || !words.is_empty() && words.len() <= 2 && words.iter().any(is_identifier)
}
