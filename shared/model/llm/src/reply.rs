//! Finds the part of a reply that is the answer: cuts off the model's reasoning and a repetition of the prompt.
//!
//! *Not* here: whether the answer is good and has the right form; [`json`](crate::json) and each worker check that.

/// Names of the tags between which models think aloud.
const THOUGHTS: [&str; 4] = ["think", "thinking", "thought", "reasoning"];
/// Shortest line, in characters, that shows that a prompt is said back when it stands in a reply.
const ECHO_CHARS_MIN: usize = 40;

/// The text after the last reasoning block; a block that was cut off is dropped. A reply without reasoning stays as
/// it is.
pub fn without_thoughts(text: &str) -> &str {
    let ends = THOUGHTS.iter().filter_map(|tag| {
        let end = format!("</{tag}>");
        text.rfind(&end).map(|at| at + end.len())
    });
    let text = ends.max().map_or(text, |end| &text[end..]);
    let starts = THOUGHTS
        .iter()
        .filter_map(|tag| text.find(&format!("<{tag}>")));
    starts.min().map_or(text, |start| &text[..start])
}

/// If the reply repeats whole sentences of the prompt's `own` text, the text after the last repeated line. Lines of
/// JSON do not count as a repetition, because an answer may equal an example.
pub fn without_prompt<'a>(text: &'a str, own: &str) -> &'a str {
    let is_own = |line: &str| !line.is_empty() && own.lines().any(|own| own.trim() == line);
    let is_telling = |line: &str| line.chars().count() >= ECHO_CHARS_MIN && !line.starts_with('{');
    let lines = || text.split_inclusive('\n').map(str::trim);
    if !lines().any(|line| is_telling(line) && is_own(line)) {
        return text;
    }
    let (mut at, mut end) = (0, 0);
    for line in text.split_inclusive('\n') {
        at += line.len();
        if is_own(line.trim()) {
            end = at;
        }
    }
    &text[end..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn thoughts_are_no_answer() {
        for (text, answer) in [
            ("It is 5.", "It is 5."),
            ("<think>7? no</think>It is 5.", "It is 5."),
            ("7? no</think>It is 5.", "It is 5."),
            (
                "<thinking>a</thinking>b<thinking>c</thinking>It is 5.",
                "It is 5.",
            ),
            ("It is 5.<think>or 7", "It is 5."),
            ("<reasoning>it may be 7", ""),
        ] {
            assert_eq!(without_thoughts(text), answer, "{text}");
        }
    }

    #[test]
    fn a_prompt_said_back_is_no_answer() {
        let own = "Does the text help with this question, and how much?\nReply with JSON.\n{\"grade\": 0}\nJSON:\n";
        let long = "Does the text help with this question, and how much?";
        for (text, answer) in [
            (own.to_owned(), ""),
            (format!("{own}{{\"grade\": 1}}"), "{\"grade\": 1}"),
            (format!("  {long}\nYes."), "Yes."),
            ("{\"grade\": 0}".into(), "{\"grade\": 0}"),
            ("JSON:\n{\"grade\": 0}".into(), "JSON:\n{\"grade\": 0}"),
            (
                format!("I was asked: {long}"),
                &*format!("I was asked: {long}"),
            ),
        ] {
            assert_eq!(without_prompt(&text, own), answer, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_end_of_a_reply_stays(text in "(</?think>|\\PC|\n){0,60}", own in "(\\PC|\n){0,60}") {
            prop_assert!(text.contains(without_thoughts(&text)));
            prop_assert!(text.ends_with(without_prompt(&text, &own)));
        }
    }
}
