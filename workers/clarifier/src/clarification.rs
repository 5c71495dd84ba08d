//! Reads a clarification out of a model's reply. A clarification made from a template supplies the parts that the
//! reply lacks.

use envelope::Clarification;
use llm::json;
use serde_json::Value;
use text::one_line;

/// Longest question back, in characters.
const QUESTION_CHARS_MAX: usize = 400;
/// Longest suggested reply, in characters.
const OPTION_CHARS_MAX: usize = 120;

/// The template with the model's words in it; `None` when the reply holds no question. The suggested reply that
/// widens the search stays the first one.
pub(crate) fn read(
    answer: &str,
    template: &Clarification,
    options_max: usize,
) -> Option<Clarification> {
    let (object, _) = json::read_object(answer)?;
    let question = one_line(object.get("clarifying_question")?.as_str()?);
    let fits = question.chars().count() <= QUESTION_CHARS_MAX;
    if !question.contains('?') || !fits {
        return None;
    }
    let suggested = object.get("suggested_options").and_then(Value::as_array);
    let mut options = Vec::from_iter(template.widens.clone());
    for option in suggested.into_iter().flatten().filter_map(Value::as_str) {
        let option = one_line(option);
        let fits = (1..=OPTION_CHARS_MAX).contains(&option.chars().count());
        if fits && !options.iter().any(|other| is_same(other, &option)) {
            options.push(option);
        }
    }
    options.truncate(options_max);
    let widens = template.widens.clone();
    Some(Clarification {
        question,
        widens: widens.filter(|widens| options.contains(widens)),
        options,
        ..template.clone()
    })
}

/// Whether two suggestions differ only in case, quotes and full stops.
fn is_same(one: &str, other: &str) -> bool {
    let bare = |text: &str| -> String {
        let kept = text.chars().filter(|c| !" \"'`“”‘’«».,!?".contains(*c));
        kept.flat_map(char::to_lowercase).collect()
    };
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Doubt, TurnId};
    use proptest::prelude::*;

    fn template() -> Clarification {
        let doubt = Doubt::NoResults {
            query: "failed lamps".into(),
            narrowed_by: vec!["year = 2031".into()],
        };
        Clarification::template(&TurnId::new("t1").unwrap(), &doubt)
    }

    #[test]
    fn takes_the_models_words() {
        let answer = r#"{"clarifying_question": "Which\n year?", "suggested_options": ["search without `year = 2031`.", "2030", "2030?", "", 7, "2029"]}"#;
        let read = read(answer, &template(), 4).unwrap();
        assert_eq!((read.id.as_str(), read.kind.as_str()), ("t1", "no_results"));
        assert_eq!(read.question, "Which year?");
        assert_eq!(read.options, ["Search without year = 2031", "2030", "2029"]);
        assert_eq!(read.widens.as_ref(), Some(&read.options[0]));
    }

    #[test]
    fn keeps_the_templates_replies_when_there_are_no_others() {
        for answer in [
            r#"{"clarifying_question": "Which year?"}"#,
            r#"So: {"clarifying_question": "Which year?", "suggested_options": []} Thanks"#,
        ] {
            let read = read(answer, &template(), 4).unwrap();
            assert_eq!(read.options, template().options);
        }
    }

    #[test]
    fn no_question_is_no_clarification() {
        let long = format!(r#"{{"clarifying_question": "{}?"}}"#, "why ".repeat(200));
        for answer in [
            "",
            "Which year?",
            "{}",
            r#"{"clarifying_question": ""}"#,
            r#"{"clarifying_question": "There are no lamps."}"#,
            r#"{"clarifying_question": ["a?"]}"#,
            &long,
        ] {
            assert_eq!(read(answer, &template(), 4), None, "{answer}");
        }
    }

    proptest! {
        #[test]
        fn identity_stays_and_limits_hold(
            question in "\\PC{0,600}",
            options in proptest::collection::vec("\\PC{0,200}", 0..8),
        ) {
            let answer = serde_json::json!({"clarifying_question": question, "suggested_options": options});
            if let Some(read) = read(&answer.to_string(), &template(), 3) {
                prop_assert_eq!((read.id, read.kind), (template().id, template().kind));
                prop_assert!(read.question.chars().count() <= QUESTION_CHARS_MAX);
                prop_assert!(read.options.len() <= 3);
            }
        }
    }
}
