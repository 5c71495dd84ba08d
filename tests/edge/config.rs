//! Tests the configuration on the command line: which source wins, and how a mistake is reported.

use crate::shell::Shell;

/// A command that does little and reads the configuration.
const INDEX: [&str; 2] = ["index", "docs"];

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("docs/cat.md", "The cat sat on the mat.\n");
    shell
}

fn index<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&INDEX, more].concat()
}

#[test]
fn an_unknown_setting_names_itself_its_value_its_origin_and_what_was_meant() {
    let file = shell();
    file.write("argosy.toml", "[run]\nslotz = 16\n");
    let by_file = file.run(&INDEX).exits(2).stderr;
    let by_env = shell()
        .env("ARGOSY__run__slotz", "16")
        .run(&INDEX)
        .exits(2)
        .stderr;
    let by_flag = shell()
        .run(&index(&["--set", "run.slotz=16"]))
        .exits(2)
        .stderr;
    for (text, origin) in [
        (by_file, "file `argosy.toml`"),
        (by_env, "environment variable `ARGOSY__run__slotz`"),
        (by_flag, "command line"),
    ] {
        for part in ["`run.slotz`", "16", origin, "did you mean `run.slots`?"] {
            assert!(text.contains(part), "no {part} in: {text}");
        }
    }
}

#[test]
fn a_section_that_nobody_knows_is_named() {
    let shell = shell();
    shell.write("argosy.toml", "[gatway]\ndeadline = \"5s\"\n");
    let text = shell.run(&INDEX).exits(2).stderr;
    assert!(
        text.contains("gatway") && text.contains("gateway"),
        "{text}"
    );
}

#[test]
fn a_misspelt_prompt_is_an_error_at_the_start_wherever_its_folder_is_named() {
    let prompt = "---user---\n{{question}} {{facts}}\n";
    let in_file = shell();
    in_file.write("argosy.toml", "prompts_dir = \"own\"\n");
    let in_env = shell().env("ARGOSY__prompts_dir", "own");
    let by_flag = shell();
    for (shell, more) in [
        (in_file, &[][..]),
        (in_env, &[]),
        (by_flag, &["--set", "prompts_dir=own"]),
    ] {
        shell.write("own/reducer.md", prompt);
        shell.run(&index(more)).exits(0);
        shell.write("own/reduser.md", prompt);
        let text = shell.run(&index(more)).exits(2).stderr;
        for part in [
            "`prompts_dir`: `own/reduser.md`",
            "did you mean `reducer.md`?",
            "`planner_refine.md`",
        ] {
            assert!(text.contains(part), "no {part} in: {text}");
        }
    }
}

#[test]
fn a_misspelt_prompt_is_found_by_a_check_of_the_file() {
    let shell = shell();
    shell.write("fleet.toml", "# prompts\nprompts_dir = \"own\"\n");
    // The folder may be on another machine.
    let absent = shell.run(&["config", "check", "fleet.toml"]).exits(0);
    let own = shell.dir().canonicalize().unwrap().join("own");
    let told = format!("{} is not here", own.display());
    assert!(absent.stdout.contains(&told), "no {told}: {absent:?}");
    std::fs::create_dir(&own).unwrap();
    let looked = shell.run(&["config", "check", "fleet.toml"]).exits(0);
    let told = format!("looked at {}\n", own.display());
    assert!(looked.stdout.contains(&told), "no {told}: {looked:?}");
    shell.write("own/reduser.md", "---user---\n");
    let found = shell.run(&["config", "check", "fleet.toml"]).exits(1);
    for part in ["fleet.toml:2:", "`own/reduser.md`", "`reducer.md`?"] {
        assert!(found.stdout.contains(part), "no {part} in: {found:?}");
    }
    // A right name is not all: the text has to hold what its stage puts into it.
    std::fs::remove_file(shell.dir().join("own/reduser.md")).unwrap();
    shell.write("own/reducer.md", "Answer from the facts.\n");
    let found = shell.run(&["config", "check", "fleet.toml"]).exits(1);
    for part in ["fleet.toml:2:", "`prompts_dir`", "reducer"] {
        assert!(found.stdout.contains(part), "no {part} in: {found:?}");
    }
}

#[test]
fn a_wrong_value_says_what_is_wanted() {
    for (set, parts) in [
        ("run.slots=many", ["`run.slots`", "many", "whole number"]),
        ("run.slots=-1", ["`run.slots`", "-1", "whole number"]),
        ("run.slots=0", ["`run.slots`", "0", "not be 0"]),
        (
            "gateway.deadline=soon",
            ["`gateway.deadline`", "soon", "command line"],
        ),
        (
            "streams.inbox_bytes=1 potato",
            ["`streams.inbox_bytes`", "1 potato", "command line"],
        ),
        (
            "streams.replicas=2",
            ["`streams.replicas`", "2", "1, 3 or 5"],
        ),
        (
            "gateway.room_limit=7",
            ["`gateway.room_limit`", "0.1", "0.95"],
        ),
    ] {
        let text = shell().run(&index(&["--set", set])).exits(2).stderr;
        for part in parts {
            assert!(text.contains(part), "{set}: no `{part}` in: {text}");
        }
    }
}

#[test]
fn all_mistakes_are_told_at_once_and_in_json_too() {
    let args = index(&["--set", "run.slotz=1", "--set", "nats.uri=x", "-o", "json"]);
    let error = shell().run(&args).exits(2).json()["error"].clone();
    assert_eq!(error["code"], "usage");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("run.slotz") && message.contains("nats.uri"),
        "{message}"
    );
}

#[test]
fn a_broken_or_missing_file_is_named() {
    let broken = shell();
    broken.write("argosy.toml", "[run\nslots = 1\n");
    let text = broken.run(&INDEX).exits(2).stderr;
    assert!(text.contains("`argosy.toml` is not valid TOML"), "{text}");
    let text = shell()
        .run(&index(&["--config", "mine.toml"]))
        .exits(2)
        .stderr;
    assert!(
        text.contains("`mine.toml`") && text.contains("No such file"),
        "{text}"
    );
    let text = shell().run(&index(&["--set", "run.slots"])).exits(2).stderr;
    assert!(text.contains("KEY=VALUE"), "{text}");
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let of = |shell: &Shell| -> Vec<&str> {
        let all = ["of-file", "of-env", "of-flag", ".argosy"];
        all.into_iter()
            .filter(|name| shell.dir().join(name).is_dir())
            .collect()
    };
    let file = shell();
    file.run(&INDEX).exits(0);
    assert_eq!(of(&file), [".argosy"], "the default");
    let file = shell();
    file.write("argosy.toml", "data_dir = \"of-file\"\n");
    file.run(&INDEX).exits(0);
    assert_eq!(of(&file), ["of-file"]);
    let env = shell().env("ARGOSY__data_dir", "of-env");
    env.write("argosy.toml", "data_dir = \"of-file\"\n");
    env.run(&INDEX).exits(0);
    assert_eq!(of(&env), ["of-env"]);
    let flag = shell().env("ARGOSY__data_dir", "of-env");
    flag.write("argosy.toml", "data_dir = \"of-file\"\n");
    flag.run(&index(&["--set", "data_dir=of-flag"])).exits(0);
    assert_eq!(of(&flag), ["of-flag"]);
    // A file that is named replaces the one in the working directory.
    let named = shell();
    named.write("argosy.toml", "data_dir = \"of-env\"\n");
    named.write("mine.toml", "data_dir = \"of-file\"\n");
    named.run(&index(&["--config", "mine.toml"])).exits(0);
    assert_eq!(of(&named), ["of-file"]);
}

#[test]
fn a_secret_is_never_shown() {
    let shell = shell();
    shell.write(
        "argosy.toml",
        "[[model.nodes]]\nname = \"a\"\nbase_url = \"http://127.0.0.1:1\"\napi_key = 12345678\nkind = \"x\"\n",
    );
    let ran = shell.run(&INDEX).exits(2);
    assert!(ran.stderr.contains("model"), "{ran:?}");
    assert!(!format!("{ran:?}").contains("12345678"), "{ran:?}");
}
