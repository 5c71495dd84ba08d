//! Tests prompts on the command line: the list, a folder with replacements, and replacements with which a process
//! refuses to start.

use crate::shell::Shell;

const OWN: &str = "Be brief.\n---user---\nOn {{today}}: {{question}}\n\n{{facts}}\n";

#[test]
fn prompts_are_listed_shown_compared_and_checked() {
    let shell = Shell::new();
    let listed = shell.run(&["prompts", "ls", "-o", "json"]).exits(0).json();
    let names: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"mapper") && names.contains(&"indexer"),
        "{names:?}"
    );
    assert!(
        listed.as_array().unwrap().iter().all(|one| {
            one["overridden"] == false && one["version"].as_str().unwrap().len() == 8
        })
    );
    let shown = shell.run(&["prompts", "show", "mapper"]).exits(0).stdout;
    assert!(
        shown.contains("---user---") && shown.contains("{{question}}"),
        "{shown}"
    );
    let unknown = shell.run(&["prompts", "show", "maper"]).exits(3).stderr;
    assert!(
        unknown.contains("`maper`") && unknown.contains("mapper"),
        "{unknown}"
    );
    let none = shell.run(&["prompts", "diff"]).exits(2).stderr;
    assert!(none.contains("`prompts_dir`"), "{none}");

    shell.write("good/reducer.md", OWN);
    shell.write("good/notes.txt", "no prompt");
    let checked = shell.run(&["prompts", "check", "good"]).exits(0).stdout;
    assert_eq!(checked, "`good` can be used\n");
    let told = shell.run(&["prompts", "diff", "good"]).exits(0).stdout;
    for line in [
        "+ Be brief.",
        "  ---user---",
        "+ On {{today}}: {{question}}",
        "- Answer:",
    ] {
        assert!(told.lines().any(|one| one == line), "no `{line}` in {told}");
    }
    let set = ["--set", "prompts_dir=good"];
    let listed = shell.run(&[&["prompts", "ls"], &set[..]].concat()).exits(0);
    let reducer = listed
        .stdout
        .lines()
        .find(|line| line.starts_with("reducer "));
    assert!(reducer.unwrap().contains("yours"), "{listed:?}");
    let shown = shell.run(&[&["prompts", "show", "reducer"], &set[..]].concat());
    assert_eq!(shown.exits(0).stdout, OWN);

    shell.write("bad/mapper.md", "no prompt");
    shell.write("bad/reduser.md", OWN);
    shell.write(
        "bad/clarifier.md",
        "---user---\n{{question}} {{narrowed_by}} {{colour}}",
    );
    let wrong = shell.run(&["prompts", "check", "bad"]).exits(1).stdout;
    for part in [
        "`mapper` has no line `---user---`",
        "did you mean `reducer.md`?",
        "does not know `colour`",
    ] {
        assert!(wrong.contains(part), "no {part} in {wrong}");
    }
    let wrong = shell
        .run(&["prompts", "check", "bad", "-o", "json"])
        .exits(1)
        .json();
    assert_eq!(
        (
            wrong["ok"].as_bool(),
            wrong["problems"].as_array().unwrap().len()
        ),
        (Some(false), 3)
    );
    shell.run(&["prompts", "check", "gone"]).exits(2);
    shell.run(&["prompts", "check"]).exits(2);
}

/// A prompt that cannot be used stops the start of the role that takes it.
#[test]
fn a_start_with_nonsense_for_a_prompt_is_refused() {
    let shell = Shell::new();
    shell.write("docs/a.md", "# A\n\nThe cat sat on the mat.\n");
    shell.write("bad/mapper.md", "---user---\n{{question}}");
    let ask = [
        "ask",
        "Where did the cat sit?",
        "--corpus",
        "docs",
        "--set",
        "prompts_dir=bad",
    ];
    let refused = shell.run(&ask).exits(2).stderr;
    assert!(
        refused.contains("prompt `mapper` lacks `source`"),
        "{refused}"
    );
}

/// A question may name only a model that the fleet offers.
#[test]
fn a_question_names_a_model_that_is_offered() {
    let shell = Shell::new();
    shell.write("docs/a.md", "# A\n\nThe cat sat on the mat.\n");
    let ask = [
        "ask",
        "Where did the cat sit?",
        "--corpus",
        "docs",
        "-o",
        "json",
        "--model",
    ];
    let refused = shell.run(&[&ask[..], &["large"]].concat()).exits(1).json();
    assert_eq!(refused["error"]["code"], "unsupported", "{refused}");
    let offered = ["small", "--set", "gateway.models=[\"small\", \"large\"]"];
    let set = [&ask[..], &["huge"], &offered[1..]].concat();
    let message = shell.run(&set).exits(1).json()["error"]["message"].to_string();
    assert!(message.contains("`small`, `large`"), "{message}");
    let own = argosy::model::OFFLINE;
    let set = format!("gateway.models=[\"{own}\"]");
    let asked = shell
        .run(&[&ask[..], &[own, "--set", &set]].concat())
        .exits(0)
        .json();
    assert_eq!(asked["model"], own, "{asked}");
    let prompts: Vec<_> = asked["trail"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|e| e["prompts"].get("mapper"))
        .collect();
    assert!(!prompts.is_empty(), "{asked}");
}
