//! Reads a scenario from the lines of its file. A field that is misspelt, repeated or wrong is an error with file and
//! line.

use crate::lines::{self, Field, Section, Wrong};
use envelope::{Outcome, PlanRoute, Role};
use settings::nearest_name;

/// Fields before the first section.
const HEAD: [&str; 2] = ["Settings", "Conversation"];
/// Fields that a turn has once at most.
const ONCE: [&str; 9] = [
    "User",
    "Expected Route",
    "Rewritten Query Contains",
    "Rewritten Query",
    "Expected Answer Contains",
    "Expected Outcome",
    "Expected Question Contains",
    "Visited",
    "Low Confidence",
];
/// Fields that a turn may have several times.
const REPEATED: [&str; 6] = [
    "Trail Contains",
    "Planner Says",
    "Mapper Says",
    "Reducer Says",
    "Clarifier Says",
    "Planner Fails",
];

/// A dialogue, and the corpus that it is about.
#[derive(Debug, Default)]
pub(crate) struct Scenario {
    /// The name of its file.
    pub(crate) file: String,
    pub(crate) title: String,
    /// Configuration, as dotted keys with values.
    pub(crate) settings: Vec<(String, String)>,
    /// Whether the turns are of one conversation; otherwise each question is asked alone.
    pub(crate) is_conversation: bool,
    /// Path and text of each document.
    pub(crate) documents: Vec<(String, String)>,
    pub(crate) turns: Vec<Turn>,
}

/// A question, the model's replies to it, and the expected result.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    pub(crate) line: usize,
    pub(crate) user: String,
    /// The model's replies in their order; `None` where the model refuses.
    pub(crate) says: Vec<(Role, Option<String>)>,
    pub(crate) expected: Expected,
}

/// The expected result of a turn. An expectation that is empty or `None` is not checked.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    pub(crate) route: Option<PlanRoute>,
    pub(crate) rewritten: Vec<String>,
    /// Whether the question is expected to be searched for as it is.
    pub(crate) is_unwritten: bool,
    pub(crate) answer: Vec<String>,
    /// Parts that the question back, its kind and its suggested replies are expected to hold.
    pub(crate) asked_back: Vec<String>,
    /// The expected outcome; `None` for an answer.
    pub(crate) outcome: Option<Outcome>,
    /// The roles that are expected to work on the turn, in this order.
    pub(crate) visited: Vec<Role>,
    pub(crate) low_confidence: Option<bool>,
    /// A role, with a part of its decision or of the name of a fallback.
    pub(crate) trail: Vec<(Role, String)>,
}

/// Reads a file. An error has the form `file:line: what`.
pub(crate) fn read(file: &str, text: &str) -> Result<Scenario, String> {
    scenario(file, text).map_err(|(line, what)| format!("tests/scenarios/{file}:{line}: {what}"))
}

fn scenario(file: &str, text: &str) -> Result<Scenario, Wrong> {
    let lines = lines::read(text)?;
    let mut scenario = Scenario {
        file: file.to_owned(),
        title: lines.title,
        is_conversation: true,
        ..Scenario::default()
    };
    for field in &lines.head {
        match field.name.as_str() {
            "Settings" => {
                let pair = field.value.split_once('=');
                let (key, value) = pair.ok_or_else(|| wrong(field, "want `key = value`"))?;
                let pair = (key.trim().to_owned(), value.trim().to_owned());
                scenario.settings.push(pair);
            }
            "Conversation" => scenario.is_conversation = truth(field)?,
            name => return Err(unknown(field, name, &HEAD)),
        }
    }
    for section in lines.sections {
        match section {
            Section::Document { path, text } => scenario.documents.push((path, text)),
            Section::Turn { line, fields } => scenario.turns.push(turn(line, &fields)?),
        }
    }
    match (scenario.documents.is_empty(), scenario.turns.is_empty()) {
        (true, _) => Err((1, "no document: nothing could be answered".into())),
        (_, true) => Err((1, "no turn".into())),
        (false, false) => Ok(scenario),
    }
}

fn turn(line: usize, fields: &[Field]) -> Result<Turn, Wrong> {
    let mut turn = Turn {
        line,
        ..Turn::default()
    };
    for (at, field) in fields.iter().enumerate() {
        let name = field.name.as_str();
        if ONCE.contains(&name) && fields[..at].iter().any(|earlier| earlier.name == name) {
            return Err(wrong(field, "said twice"));
        }
        take(&mut turn, field)?;
    }
    match turn.user.is_empty() {
        true => Err((line, "the turn has no `User`".into())),
        false => Ok(turn),
    }
}

fn take(turn: &mut Turn, field: &Field) -> Result<(), Wrong> {
    let expected = &mut turn.expected;
    match field.name.as_str() {
        "User" => turn.user = field.value.clone(),
        "Expected Route" => expected.route = Some(route(field)?),
        "Rewritten Query Contains" => expected.rewritten = parts(field),
        "Rewritten Query" if field.value == "none" => expected.is_unwritten = true,
        "Rewritten Query" => {
            return Err(wrong(
                field,
                "want `none`; for its words there is `Rewritten Query Contains`",
            ));
        }
        "Expected Answer Contains" => expected.answer = parts(field),
        "Expected Question Contains" => expected.asked_back = parts(field),
        "Expected Outcome" => expected.outcome = Some(outcome(field)?),
        "Visited" => {
            let roles = parts(field).into_iter();
            let roles = roles.map(|word| role(field, &word));
            expected.visited = roles.collect::<Result<_, _>>()?;
        }
        "Low Confidence" => expected.low_confidence = Some(truth(field)?),
        "Trail Contains" => {
            let pair = field.value.split_once(':');
            let (word, text) = pair.ok_or_else(|| wrong(field, "want `role: text`"))?;
            let text = text.trim().to_owned();
            expected.trail.push((role(field, word.trim())?, text));
        }
        "Planner Says" => turn.says.push((Role::Planner, Some(field.value.clone()))),
        "Mapper Says" => turn.says.push((Role::Mapper, Some(field.value.clone()))),
        "Reducer Says" => turn.says.push((Role::Reducer, Some(field.value.clone()))),
        "Clarifier Says" => turn.says.push((Role::Clarifier, Some(field.value.clone()))),
        "Planner Fails" if truth(field)? => turn.says.push((Role::Planner, None)),
        "Planner Fails" => {}
        name => return Err(unknown(field, name, &[&ONCE[..], &REPEATED[..]].concat())),
    }
    Ok(())
}

fn wrong(field: &Field, what: &str) -> Wrong {
    (field.line, format!("`{}`: {what}", field.name))
}

fn unknown(field: &Field, name: &str, known: &[&'static str]) -> Wrong {
    let meant = nearest_name(name, known.iter().copied());
    let meant = meant.map_or(String::new(), |meant| format!(", did you mean `{meant}`?"));
    let known = known.join("`, `");
    (
        field.line,
        format!("no field `{name}`{meant} There are `{known}`"),
    )
}

/// The parts between commas; a comma within a number does not separate.
fn parts(field: &Field) -> Vec<String> {
    let parts = field.value.split(", ").map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

fn truth(field: &Field) -> Result<bool, Wrong> {
    match field.value.as_str() {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(wrong(field, "want `yes` or `no`")),
    }
}

fn route(field: &Field) -> Result<PlanRoute, Wrong> {
    let word = field.value.to_lowercase();
    let route = PlanRoute::ALL
        .into_iter()
        .find(|route| route.as_str() == word);
    route.ok_or_else(|| {
        let words = PlanRoute::ALL.map(|route| route.as_str().to_uppercase());
        wrong(field, &format!("want one of {}", words.join(", ")))
    })
}

fn outcome(field: &Field) -> Result<Outcome, Wrong> {
    let outcome = Outcome::ALL
        .into_iter()
        .find(|outcome| outcome.as_str() == field.value);
    let words = Outcome::ALL.map(Outcome::as_str).join(", ");
    outcome.ok_or_else(|| wrong(field, &format!("want one of {words}")))
}

fn role(field: &Field, word: &str) -> Result<Role, Wrong> {
    let role = Role::THINKING
        .into_iter()
        .find(|role| role.as_str() == word);
    let words = Role::THINKING.map(Role::as_str).join(", ");
    role.ok_or_else(|| {
        wrong(
            field,
            &format!("`{word}` takes no step: want one of {words}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADED: &str = "# Leases\n\nWhat it is about.\n\n**Settings:** retriever.map_max = 3\n\n\
        ## Document a/lease.md\n\n```text\n# Lease\n\nIt ends in May.\n```\n";

    fn with(turns: &str) -> Result<Scenario, String> {
        read("x.md", &format!("{HEADED}\n{turns}"))
    }

    #[test]
    fn a_file_is_read_as_it_is_written() {
        let scenario = with(
            "## Turn 1\n**User:** When does it end?\n**Expected Route:** RETRIEVE\n\
             **Expected Answer Contains:** $92,041, in May\n**Visited:** planner, retriever\n\
             **Planner Says:** {\"route\": \"retrieve\"}\n**Planner Fails:** yes\n\
             **Trail Contains:** planner: after 1: exchange\n\n\
             ## Turn 2\n**User:** And?\n**Rewritten Query:** none\n**Low Confidence:** no\n",
        );
        let scenario = scenario.unwrap();
        assert_eq!(
            (scenario.file.as_str(), scenario.title.as_str()),
            ("x.md", "Leases")
        );
        assert_eq!(
            scenario.settings,
            [("retriever.map_max".to_owned(), "3".to_owned())]
        );
        let document = (
            "a/lease.md".to_owned(),
            "# Lease\n\nIt ends in May.\n".to_owned(),
        );
        assert_eq!(scenario.documents, [document]);
        let [first, second] = &scenario.turns[..] else {
            panic!("two turns")
        };
        assert_eq!(first.expected.route, Some(PlanRoute::Retrieve));
        assert_eq!(first.expected.answer, ["$92,041", "in May"]);
        assert_eq!(first.expected.visited, [Role::Planner, Role::Retriever]);
        let trail = (Role::Planner, "after 1: exchange".to_owned());
        assert_eq!(first.expected.trail, [trail]);
        let says = (Role::Planner, Some("{\"route\": \"retrieve\"}".to_owned()));
        assert_eq!(first.says, [says, (Role::Planner, None)]);
        assert!(second.expected.is_unwritten && scenario.is_conversation);
        assert_eq!(second.expected.low_confidence, Some(false));
    }

    #[test]
    fn what_is_wrong_is_named_with_file_and_line() {
        // The fields of the turn begin in line 16.
        for (turns, says) in [
            (
                "## Turn 1\n**User:** a\n**Expected Rute:** RETRIEVE",
                ":17: no field `Expected Rute`, did you mean `Expected Route`?",
            ),
            (
                "## Turn 1\n**User:** a\n**User:** b",
                ":17: `User`: said twice",
            ),
            (
                "## Turn 1\n**User:** a\n**Expected Route:** LOOK",
                ":17: `Expected Route`: want one of DIRECT_ANSWER",
            ),
            ("## Turn 1\n**User:** a\nUser: b", ":17: neither a field"),
            (
                "## Turn 1\n**User: a",
                ":16: want a field as `**Name:** value`",
            ),
            ("## Turn 1\n**User:**", ":16: `User` says nothing"),
            ("## Turn 1\n", ":15: the turn has no `User`"),
            (
                "## Turn 2\n**User:** a",
                ":15: turn 2: the next one is turn 1",
            ),
            (
                "## Turn 1\n**User:** a\n**Visited:** planner, gateway",
                ":17: `Visited`: `gateway` takes no step",
            ),
            (
                "## Turn 1\n**User:** a\n**Rewritten Query:** b",
                ":17: `Rewritten Query`: want `none`",
            ),
            ("## Tern 1\n", ":15: want `## Document PATH` or `## Turn N`"),
            (
                "## Document b.md\nno fence",
                ":15: `b.md` has no fenced text",
            ),
            ("", ":1: no turn"),
        ] {
            let error = with(turns).unwrap_err();
            let wanted = format!("tests/scenarios/x.md{says}");
            assert!(error.starts_with(&wanted), "{turns:?}: {error}");
        }
        for (text, says) in [
            ("# A\n**User:** a", ":2: no field `User`"),
            ("", ":1: no title"),
            ("# A\n## Turn 1\n**User:** a", ":1: no document"),
            ("# A\n# B", ":2: a second title"),
            (
                "# A\n**Setting:** a = b",
                ":2: no field `Setting`, did you mean `Settings`?",
            ),
        ] {
            let error = read("x.md", text).unwrap_err();
            assert!(error.contains(says), "{text:?}: {error}");
        }
    }
}
