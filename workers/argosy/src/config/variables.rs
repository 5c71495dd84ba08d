//! The environment variables that set an option under a name of their own. The names are those of comparable systems,
//! so that their users need not look for ours. *Not* a second way to set every option: there are only these four.

use envelope::limits::ROUNDS_MAX;
use settings::NamedVariable;

/// All of them.
pub(crate) const VARIABLES: [NamedVariable; 4] = [
    NamedVariable {
        name: "CONVERSATIONAL_MODE",
        key: "gateway.conversations",
        wanted: "`true` or `false`",
        read: |text| truth(text).map(|is_on| is_on.to_string()),
    },
    NamedVariable {
        name: "AGENTIC_ENABLED",
        key: "gateway.mode",
        wanted: "`true` (agentic) or `false` (simple)",
        read: |text| {
            let mode = |is_on| if is_on { "agentic" } else { "simple" };
            truth(text).map(|is_on| mode(is_on).to_owned())
        },
    },
    NamedVariable {
        name: "AGENTIC_MAX_ITERATIONS",
        key: "gateway.rounds",
        wanted: "a whole number from 1 to 10",
        read: |text| {
            let rounds = text.parse().ok().filter(|n| (1..=ROUNDS_MAX).contains(n));
            rounds.map(|rounds: u8| rounds.to_string())
        },
    },
    NamedVariable {
        name: "AGENTIC_MIN_SCORE_THRESHOLD",
        key: "gateway.score_min",
        wanted: "a number from 0 to 1",
        read: |text| {
            let least = text.parse().ok().filter(|n| (0.0..=1.0).contains(n));
            least.map(|least: f32| least.to_string())
        },
    },
];

/// A boolean in any case, because the systems that define these variables ignore case.
fn truth(text: &str) -> Option<bool> {
    text.to_ascii_lowercase().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use envelope::ModeChoice;
    use settings::{Configuration, Sources};

    fn loaded(variables: &[(&str, &str)]) -> Result<Configuration<Config>, settings::Error> {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        let variables = variables.iter().map(owned);
        settings::load(Sources::new().named(&VARIABLES).environment(variables))
    }

    #[test]
    fn each_sets_what_it_stands_for_and_is_told_as_where_that_came_from() {
        let loaded = loaded(&[
            ("CONVERSATIONAL_MODE", "False"),
            ("AGENTIC_ENABLED", "false"),
            ("AGENTIC_MAX_ITERATIONS", "5"),
            ("AGENTIC_MIN_SCORE_THRESHOLD", "0.3"),
        ])
        .unwrap();
        let gateway = &loaded.value.gateway;
        assert_eq!((gateway.mode, gateway.rounds), (ModeChoice::Simple, 5));
        assert!(!gateway.conversations);
        assert_eq!(gateway.score_min, Some(0.3));
        for variable in VARIABLES {
            let origin = loaded.origins[variable.key].to_string();
            let wanted = format!("environment variable `{}`", variable.name);
            assert_eq!(origin, wanted);
        }
    }

    #[test]
    fn without_them_a_question_is_agentic_and_may_belong_to_a_conversation() {
        let gateway = loaded(&[]).unwrap().value.gateway;
        assert_eq!((gateway.mode, gateway.rounds), (ModeChoice::Agentic, 3));
        assert!(gateway.conversations);
    }

    #[test]
    fn what_says_something_else_is_named_with_what_is_wanted() {
        for (name, text) in [
            ("CONVERSATIONAL_MODE", "yes"),
            ("AGENTIC_ENABLED", "1"),
            ("AGENTIC_MAX_ITERATIONS", "0"),
            ("AGENTIC_MAX_ITERATIONS", "11"),
            ("AGENTIC_MAX_ITERATIONS", "three"),
            ("AGENTIC_MIN_SCORE_THRESHOLD", "1.5"),
            ("AGENTIC_MIN_SCORE_THRESHOLD", "NaN"),
        ] {
            let variable = VARIABLES.iter().find(|one| one.name == name).unwrap();
            let error = loaded(&[(name, text)]).unwrap_err().to_string();
            for part in [name, text, variable.key, variable.wanted] {
                assert!(error.contains(part), "`{part}` is not in: {error}");
            }
        }
    }
}
