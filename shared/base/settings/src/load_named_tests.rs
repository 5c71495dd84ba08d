//! Tests of variables with names of their own: what they set, which sources override them, and which of their values
//! are refused.

use super::*;
use crate::NamedVariable;

const VARIABLES: [NamedVariable; 2] = [
    NamedVariable {
        name: "PLANNING",
        key: "llm.mode",
        wanted: "`on` or `off`",
        read: |text| match text {
            "on" => Some("planned".to_owned()),
            "off" => Some("simple".to_owned()),
            _ => None,
        },
    },
    NamedVariable {
        name: "SHARE",
        key: "nats.share",
        wanted: "anything",
        read: |text| Some(text.to_owned()),
    },
];

fn named(variables: &[(&str, &str)]) -> Sources {
    env(variables).named(&VARIABLES)
}

#[test]
fn it_sets_its_key_and_is_told_as_where_that_came_from() {
    let loaded = loaded(named(&[("PLANNING", " on "), ("SHARE", "0.25")]));
    assert_eq!(loaded.value.llm.mode, Mode::Planned);
    assert_eq!(loaded.value.nats.share, 0.25);
    let origin = loaded.origins["llm.mode"].to_string();
    assert_eq!(origin, "environment variable `PLANNING`");
}

#[test]
fn whoever_sets_the_key_itself_wins() {
    let by_name = [("PLANNING", "on")];
    let file = named(&by_name).text("argosy.toml", "[llm]\nmode = \"simple\"");
    let variable = named(&[("PLANNING", "on"), ("ARGOSY__llm__mode", "simple")]);
    let flag = named(&by_name).flags(pairs(&[("llm.mode", "simple")]));
    for sources in [file, variable, flag] {
        let loaded = loaded(sources);
        assert_eq!(loaded.value.llm.mode, Mode::Simple);
        let origin = loaded.origins["llm.mode"].to_string();
        assert!(!origin.contains("PLANNING"), "{origin}");
    }
}

#[test]
fn one_that_is_empty_or_not_asked_for_sets_nothing() {
    for sources in [named(&[("PLANNING", "  ")]), env(&[("PLANNING", "on")])] {
        assert_eq!(loaded(sources).value, Config::default());
    }
}

#[test]
fn what_it_may_not_say_is_a_problem_that_names_it() {
    let said = problem(named(&[("PLANNING", "maybe")]));
    assert_eq!(
        said,
        "`llm.mode` = `\"maybe\"` (environment variable `PLANNING`): wants `on` or `off`"
    );
    // So is what the key cannot take.
    let said = problem(named(&[("SHARE", "much")]));
    assert!(said.contains("environment variable `SHARE`"), "{said}");
    // A mistake is one although the key is set elsewhere.
    let sources = named(&[("PLANNING", "maybe")]).flags(pairs(&[("llm.mode", "simple")]));
    assert!(refused(sources).contains("`PLANNING`"));
}
