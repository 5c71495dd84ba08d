//! Runs the command lines of `tests/commands`, whose README says what a case may have. Each case has a folder of its
//! own; what fails is told with the file, the case and the command.

use crate::shell::{Ran, Shell};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A file of `tests/commands`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Commands {
    #[serde(default)]
    files: BTreeMap<String, String>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    no_model: bool,
    step: Vec<Step>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Step {
    write: BTreeMap<String, String>,
    remove: Option<String>,
    run: Arguments,
    exit: i32,
    out: Vec<String>,
    err: Vec<String>,
    any: Vec<String>,
    not_out: Vec<String>,
    not_err: Vec<String>,
    not_any: Vec<String>,
    out_is: Option<String>,
    err_is: Option<String>,
    out_begins: String,
    err_begins: String,
    out_ends: String,
    out_lines: Option<usize>,
    err_lines: Option<usize>,
    line_begins: BTreeMap<String, String>,
    line_has: BTreeMap<String, String>,
    json: BTreeMap<String, Value>,
    json_has: BTreeMap<String, Vec<String>>,
    json_any: BTreeMap<String, Vec<Value>>,
    json_len: BTreeMap<String, usize>,
    json_count: BTreeMap<String, usize>,
    error_code: Option<String>,
    exists: Vec<String>,
    absent: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Arguments {
    /// As a shell takes it apart.
    Line(String),
    List(Vec<String>),
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments::List(Vec::new())
    }
}

impl Arguments {
    fn words(&self, shell: &Shell) -> Vec<String> {
        let words = match self {
            Arguments::Line(line) => crate::help::split(line),
            Arguments::List(words) => words.clone(),
        };
        words.iter().map(|word| placed(word, shell)).collect()
    }
}

/// A text in which variables stand for folders.
fn placed(text: &str, shell: &Shell) -> String {
    let dir = shell.dir().canonicalize().unwrap();
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
    text.replace("$DIR", dir.to_str().unwrap())
        .replace("$FIXTURES", fixtures)
}

impl Case {
    /// Runs all steps until one does not do what it has to.
    fn run(&self, common: &BTreeMap<String, String>) -> Result<(), String> {
        let mut shell = match self.no_model {
            true => Shell::without_model(),
            false => Shell::new(),
        };
        for (name, value) in &self.env {
            shell = shell.env(name, value);
        }
        for (path, text) in common.iter().chain(&self.files) {
            shell.write(path, text);
        }
        self.step.iter().try_for_each(|step| step.take(&shell))
    }
}

impl Step {
    fn take(&self, shell: &Shell) -> Result<(), String> {
        if let Some(path) = &self.remove {
            let removed = std::fs::remove_file(shell.dir().join(path));
            removed.map_err(|error| format!("`{path}` is not removed: {error}"))?;
        }
        for (path, text) in &self.write {
            shell.write(path, text);
        }
        let words = self.run.words(shell);
        let args: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = shell.run(&args);
        let checked = self.check(&ran, shell).and_then(|()| {
            let Some(code) = &self.error_code else {
                return Ok(());
            };
            let again = shell.run(&[&args[..], &["-o", "json"]].concat());
            self.check_error(code, &ran, &again)
        });
        checked.map_err(|what| format!("`argosy {}`: {what}: {ran:?}", args.join(" ")))
    }

    fn check(&self, ran: &Ran, shell: &Shell) -> Result<(), String> {
        let Ran {
            exit,
            stdout,
            stderr,
        } = ran;
        let both = format!("{stdout}{stderr}");
        demand(*exit == self.exit, || format!("want exit {}", self.exit))?;
        for (name, text, parts, without) in [
            ("stdout", stdout, &self.out, &self.not_out),
            ("stderr", stderr, &self.err, &self.not_err),
            ("output", &both, &self.any, &self.not_any),
        ] {
            for part in parts {
                let part = placed(part, shell);
                demand(text.contains(&part), || format!("no `{part}` in {name}"))?;
            }
            for part in without {
                let part = placed(part, shell);
                demand(!text.contains(&part), || format!("`{part}` in {name}"))?;
            }
        }
        for (text, whole) in [(stdout, &self.out_is), (stderr, &self.err_is)] {
            let whole = whole.as_ref().map(|whole| placed(whole, shell));
            let is_it = whole.as_ref().is_none_or(|whole| whole == text);
            demand(is_it, || format!("{text:?} is not {whole:?}"))?;
        }
        for (text, lines) in [(stdout, self.out_lines), (stderr, self.err_lines)] {
            let is_it = lines.is_none_or(|lines| lines == text.lines().count());
            demand(is_it, || format!("want {lines:?} lines"))?;
        }
        for (text, start) in [(stdout, &self.out_begins), (stderr, &self.err_begins)] {
            let begins = text.starts_with(&placed(start, shell));
            demand(begins, || "it begins otherwise".into())?;
        }
        demand(stdout.ends_with(&placed(&self.out_ends, shell)), || {
            "it ends otherwise".into()
        })?;
        for (start, end) in &self.line_begins {
            let (start, end) = (placed(start, shell), placed(end, shell));
            let mut lines = stdout.lines();
            let is_there = lines.any(|line| line.starts_with(&start) && line.ends_with(&end));
            demand(is_there, || format!("no line `{start}..{end}`"))?;
        }
        for (start, part) in &self.line_has {
            let (start, part) = (placed(start, shell), placed(part, shell));
            let mut lines = stdout.lines();
            let is_there = lines.any(|line| line.starts_with(&start) && line.contains(&part));
            demand(is_there, || format!("no line `{start}..{part}..`"))?;
        }
        self.check_json(ran)?;
        for (paths, wanted) in [(&self.exists, true), (&self.absent, false)] {
            for path in paths {
                let is_there = shell.dir().join(path).exists();
                demand(is_there == wanted, || format!("`{path}`: {is_there}"))?;
            }
        }
        Ok(())
    }

    fn check_json(&self, ran: &Ran) -> Result<(), String> {
        for (pointer, wanted) in &self.json {
            let found = json(ran)?;
            let found = selected(&found, pointer);
            let is_so = !found.is_empty() && found.iter().all(|value| *value == wanted);
            demand(is_so, || format!("`{pointer}` is not {wanted}"))?;
        }
        for (pointer, part) in flat(&self.json_has) {
            let found = json(ran)?;
            let has = |value: &&Value| match value {
                Value::Null => false,
                Value::String(text) => text.contains(part),
                other => other.to_string().contains(part),
            };
            let is_so = selected(&found, pointer).iter().any(has);
            demand(is_so, || format!("`{pointer}` has no `{part}`"))?;
        }
        for (pointer, wanted) in flat(&self.json_any) {
            let found = json(ran)?;
            let is_there = selected(&found, pointer).contains(&wanted);
            demand(is_there, || format!("none of `{pointer}` is {wanted}"))?;
        }
        for (pointer, wanted) in &self.json_len {
            let found = json(ran)?;
            let found = selected(&found, pointer);
            let length = |value: &Value| match value {
                Value::String(text) => Some(text.len()),
                Value::Array(items) => Some(items.len()),
                _ => None,
            };
            let is_so = !found.is_empty() && found.iter().all(|one| length(one) == Some(*wanted));
            demand(is_so, || format!("`{pointer}` is not {wanted} long"))?;
        }
        for (pointer, wanted) in &self.json_count {
            let found = json(ran)?;
            let there = selected(&found, pointer);
            let count = there.iter().filter(|value| !value.is_null()).count();
            demand(count == *wanted, || format!("{count} of `{pointer}`"))?;
        }
        Ok(())
    }

    /// Checks that a failure says the same in words on stderr and in an object on stdout, and nothing else.
    fn check_error(&self, code: &str, ran: &Ran, again: &Ran) -> Result<(), String> {
        let is_alone = ran.stdout.is_empty() && again.stderr.is_empty();
        demand(is_alone && again.exit == self.exit, || format!("{again:?}"))?;
        let error = &json(again)?["error"];
        demand(error["code"] == code, || format!("want {code}: {error}"))?;
        let message = error["message"].as_str().unwrap_or_default();
        demand(!message.trim().is_empty(), || error.to_string())?;
        let hint = error["hint"].as_str().unwrap_or_default();
        let told = match code {
            // What was typed wrongly may stand in the hint alone.
            "usage" => format!("{message} {hint}"),
            _ => message.to_owned(),
        };
        let mut parts = self.err.iter();
        demand(parts.all(|part| told.contains(part)), || error.to_string())
    }
}

fn demand(is_so: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    match is_so {
        true => Ok(()),
        false => Err(what()),
    }
}

/// Stdout, which has to be one JSON value.
fn json(ran: &Ran) -> Result<Value, String> {
    serde_json::from_str(&ran.stdout).map_err(|error| format!("no JSON on stdout ({error})"))
}

fn flat<T>(parts: &BTreeMap<String, Vec<T>>) -> impl Iterator<Item = (&String, &T)> {
    let each = parts.iter();
    each.flat_map(|(pointer, parts)| parts.iter().map(move |part| (pointer, part)))
}

/// The values at a JSON pointer, in which `*` stands for every key and index. What is not there is null.
fn selected<'a>(value: &'a Value, pointer: &str) -> Vec<&'a Value> {
    let Some((first, rest)) = pointer.split_once("/*") else {
        return vec![value.pointer(pointer).unwrap_or(&Value::Null)];
    };
    let children: Vec<&Value> = match value.pointer(first) {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(Value::Object(fields)) => fields.values().collect(),
        _ => Vec::new(),
    };
    let found = children.into_iter();
    found.flat_map(|child| selected(child, rest)).collect()
}

/// Runs every case of a file, and tells all that failed.
fn all(file: &str) {
    let path = format!("commands/{file}.toml");
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join(&path);
    let text = std::fs::read_to_string(text).unwrap();
    let commands: Commands = toml::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
    let failed = commands.case.iter().filter_map(|case| {
        let why = case.run(&commands.files).err()?;
        Some(format!("tests/{path}: {}: {why}", case.name))
    });
    let failed: Vec<String> = failed.collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A test for each file, so that files run beside each other.
macro_rules! files {
    ($($file:ident),+) => {
        const FILES: &[&str] = &[$(stringify!($file)),+];
        $(
            #[test]
            fn $file() {
                all(stringify!($file));
            }
        )+
    };
}

files!(
    catalog,
    config,
    contact,
    exits,
    indexing,
    keys,
    lookup,
    manners,
    output,
    permissions,
    prompts,
    schema,
    talk,
    webhook
);

#[test]
fn every_file_is_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("commands");
    let names = std::fs::read_dir(folder).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
    names.sort();
    let listed: Vec<String> = FILES.iter().map(|name| format!("{name}.toml")).collect();
    assert_eq!(names, listed);
}
