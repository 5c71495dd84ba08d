//! The clarifier of the offline reader: a template that names what was searched for, and the conditions of the search.

use super::lexicon::Lexicon;
use super::question::Question;
use serde_json::json;

/// The clarifier's JSON. `narrowed_by` has one condition per line.
pub(super) fn write(lexicon: &Lexicon, question: &str, narrowed_by: &str) -> String {
    let conditions: Vec<&str> = narrowed_by
        .lines()
        .map(|line| line.trim().trim_start_matches("- "))
        .filter(|line| !line.is_empty() && !line.eq_ignore_ascii_case("none"))
        .collect();
    let terms = Question::read(lexicon, question).terms;
    let mut about: Vec<String> = terms.into_iter().map(|term| term.text).take(5).collect();
    if about.is_empty() {
        about.push(question.trim().to_owned());
    }
    let about = about.join(" ");
    let asked = match conditions.is_empty() {
        true => format!(
            "I found nothing about “{about}”. Which document, name or number do you have in mind?"
        ),
        false => format!(
            "I found nothing about “{about}” with {}. Should I search without that?",
            conditions.join(" and ")
        ),
    };
    // The clarifier itself offers the search without the conditions; rules cannot find other words.
    json!({"clarifying_question": asked, "suggested_options": []}).to_string()
}

/// The clarifier's JSON for a question that makes no sense.
pub(super) fn unclear(question: &str, reason: &str) -> String {
    let because = match reason.trim_end_matches(['.', ' ']) {
        "" => String::new(),
        reason => format!(" ({reason})"),
    };
    let asked = format!("What do you mean by “{question}”{because}? Please name what it is about.");
    json!({"clarifying_question": asked, "suggested_options": []}).to_string()
}

/// The clarifier's JSON for a question whose answers did not stand up to a check.
pub(super) fn ungrounded(question: &str, failed: &str) -> String {
    let failed = match failed.trim_end_matches(['.', ' ']) {
        "" => String::new(),
        failed => format!(" ({failed})"),
    };
    let asked = format!(
        "I found no answer to “{question}” that the documents bear out{failed}. Which part of it do you need, or which document should say it?"
    );
    json!({"clarifying_question": asked, "suggested_options": []}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn clarify(narrowed_by: &str) -> Value {
        let question = "What did Harbour Light charge?";
        serde_json::from_str(&write(&Lexicon::new(), question, narrowed_by)).unwrap()
    }

    #[test]
    fn names_what_narrowed_the_search() {
        let asked = clarify("source contains `x.pdf`\nyear = 2024");
        let text = asked["clarifying_question"].as_str().unwrap();
        assert!(
            text.contains("Harbour Light") && text.contains("year = 2024"),
            "{text}"
        );
        assert_eq!(asked["suggested_options"], json!([]));
    }

    #[test]
    fn says_what_an_answer_failed() {
        for (failed, shown) in [
            ("no citation.", "bear out (no citation). Which"),
            ("", "bear out. Which"),
        ] {
            let asked: Value = serde_json::from_str(&ungrounded("Who pays?", failed)).unwrap();
            let text = asked["clarifying_question"].as_str().unwrap();
            assert!(text.contains(shown), "{text}");
        }
    }

    #[test]
    fn asks_for_more_when_nothing_narrowed_it() {
        for none in ["", "none"] {
            let asked = clarify(none);
            let text = asked["clarifying_question"].as_str().unwrap();
            assert!(text.ends_with("have in mind?"), "{text}");
        }
    }
}
