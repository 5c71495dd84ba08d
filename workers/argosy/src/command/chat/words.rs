//! Parses a line at the prompt: a question, a reply to a question back, or a command such as `/help`. Pure.

use envelope::{Clarification, TurnId};

/// What a line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// A question, or the reply to a question back.
    Say(String),
    /// How the last turn went, or the turn that is named.
    Trace(Option<TurnId>),
    /// The sources of the last answer.
    Sources,
    /// A new conversation.
    New,
    /// A copy of this conversation, or of its first turns where a number is given.
    Fork(Option<usize>),
    /// The list of commands.
    Help,
    /// The end of the chat.
    Quit,
    /// A line that is not understood, with the reason.
    Wrong(String),
}

/// The list of commands, for `/help`.
pub(super) const HELP: &str = "\
/new           begin another conversation
/fork [N]      go on in a copy of this conversation, of its first N turns
/sources       the sources of the last answer, with the words that they are cited for
/trace [TURN]  how the last turn went, or the one that is named
/quit          end; Ctrl-D as well
Ctrl-C         give the question up that is being answered
Everything else is asked. After a question back, the number of an option is as good as its words.";

/// Reads a line. `pending` is the question back that waits for its reply, if there is one.
pub(super) fn read(line: &str, pending: Option<&Clarification>) -> Word {
    let Some(command) = line.strip_prefix('/') else {
        return Word::Say(option(line, pending).unwrap_or(line).to_owned());
    };
    let mut words = command.split_whitespace();
    let (name, argument) = (words.next().unwrap_or_default(), words.next());
    match (name, argument) {
        ("new", None) => Word::New,
        ("sources", None) => Word::Sources,
        ("help" | "?", None) => Word::Help,
        ("quit" | "exit" | "q", None) => Word::Quit,
        ("fork", None) => Word::Fork(None),
        ("fork", Some(turns)) => match turns.parse() {
            Ok(turns) => Word::Fork(Some(turns)),
            Err(_) => Word::Wrong(format!(
                "`/{command}`: want a number of turns, as in /fork 2"
            )),
        },
        ("trace", None) => Word::Trace(None),
        ("trace", Some(turn)) => match TurnId::new(turn) {
            Ok(turn) => Word::Trace(Some(turn)),
            Err(error) => Word::Wrong(error.to_string()),
        },
        _ => Word::Wrong(format!(
            "`/{command}` means nothing here; /help lists what does"
        )),
    }
}

/// The option with that number.
fn option<'a>(line: &str, pending: Option<&'a Clarification>) -> Option<&'a str> {
    let number: usize = line.parse().ok()?;
    let options = &pending?.options;
    options.get(number.checked_sub(1)?).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_question_unless_it_begins_with_a_slash() {
        let turn = TurnId::new("t1").unwrap();
        for (line, word) in [
            ("when?", Word::Say("when?".into())),
            ("/new", Word::New),
            ("/fork", Word::Fork(None)),
            ("/fork 2", Word::Fork(Some(2))),
            ("/sources", Word::Sources),
            ("/trace", Word::Trace(None)),
            ("/trace t1", Word::Trace(Some(turn))),
            ("/quit", Word::Quit),
            ("/?", Word::Help),
            ("3", Word::Say("3".into())),
        ] {
            assert_eq!(read(line, None), word, "{line}");
        }
        for line in ["/", "/sing", "/trace a.b", "/new one", "/fork two"] {
            assert!(matches!(read(line, None), Word::Wrong(_)), "{line}");
        }
    }

    #[test]
    fn a_number_is_an_option_of_the_question_back() {
        let asked = Clarification {
            id: "t1".into(),
            kind: "no_results".into(),
            question: "Which?".into(),
            options: vec!["This".into(), "That".into()],
            widens: None,
            expires: None,
        };
        for (line, said) in [
            ("1", "This"),
            ("2", "That"),
            ("3", "3"),
            ("0", "0"),
            ("x", "x"),
        ] {
            assert_eq!(read(line, Some(&asked)), Word::Say(said.into()));
        }
    }
}
