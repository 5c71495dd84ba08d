//! `argosy config`: shows the values of the options and where they are set, and checks a file.

use crate::cli::{ConfigCheckArgs, ConfigShowArgs, Output};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::out::{self, println};
use crate::{render, roles};
use bus_nats::without_secrets;
use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::Value;
use settings::{
    Configuration, Error, SettingFault, SettingOrigin, SettingProblem, Sources, line_of,
};
use std::path::Path;

/// One option as it is shown.
#[derive(Debug, Serialize, PartialEq)]
struct Shown {
    key: String,
    value: Value,
    origin: String,
}

/// A mistake in a file.
#[derive(Debug, Serialize, PartialEq)]
struct Mistake {
    key: String,
    line: Option<usize>,
    problem: String,
}

/// Shows the options as they are loaded.
pub fn show(
    args: &ConfigShowArgs,
    loaded: &Configuration<Config>,
    output: Output,
) -> Result<(), CliError> {
    let prefix = args.prefix.as_deref().unwrap_or_default();
    let mut all = options(loaded)?;
    all.retain(|one| one.key.starts_with(prefix));
    if all.is_empty() {
        return Err(
            CliError::not_found(format!("no option begins with `{prefix}`"))
                .hint("`argosy config show` lists all"),
        );
    }
    if output == Output::Json {
        render::json(&all);
        return Ok(());
    }
    let lines: Vec<String> = all.iter().map(line).collect();
    let width = lines.iter().map(|line| line.chars().count()).max();
    let width = width.unwrap_or(0).min(60);
    for (line, one) in lines.iter().zip(&all) {
        match args.origin {
            true => println!("{line:<width$}  {}", format!("# {}", one.origin).dimmed()),
            false => println!("{line}"),
        }
    }
    Ok(())
}

/// The option as a line of a file. An option without a value is a comment.
fn line(one: &Shown) -> String {
    match &one.value {
        Value::Null => format!("# {} is not set", one.key),
        value => format!("{} = {}", one.key, toml(value)),
    }
}

/// A value in TOML. TOML has no null, and nulls in tables are left out.
pub(crate) fn toml(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(toml).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(table) => {
            let fields = table.iter().filter(|(_, value)| !value.is_null());
            let fields: Vec<String> = fields
                .map(|(name, value)| format!("{name} = {}", toml(value)))
                .collect();
            match fields.is_empty() {
                true => "{}".into(),
                false => format!("{{ {} }}", fields.join(", ")),
            }
        }
        scalar => scalar.to_string(),
    }
}

/// Every option with its value and the origin of the value. Secrets are masked when they are serialized.
fn options(loaded: &Configuration<Config>) -> Result<Vec<Shown>, CliError> {
    let tree = serde_json::to_value(&loaded.value)?;
    let mut all = Vec::new();
    leaves(String::new(), as_written(tree), &mut all);
    let shown = all.into_iter().map(|(key, value)| Shown {
        origin: origin(&key, loaded),
        value: match (key.as_str(), value) {
            ("nats.url", Value::String(url)) => without_secrets(&url).into(),
            (_, value) => value,
        },
        key,
    });
    Ok(shown.collect())
}

fn leaves(key: String, value: Value, all: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(table) if !table.is_empty() => {
            for (name, below) in table {
                let key = match key.is_empty() {
                    true => name,
                    false => format!("{key}.{name}"),
                };
                leaves(key, below, all);
            }
        }
        leaf => all.push((key, leaf)),
    }
}

/// Numbers of single precision as they were written: 0.3, not the nearest number of double precision.
pub(crate) fn as_written(value: Value) -> Value {
    match value {
        Value::Object(table) => {
            let fields = table.into_iter();
            fields.map(|(name, one)| (name, as_written(one))).collect()
        }
        Value::Array(items) => items.into_iter().map(as_written).collect(),
        Value::Number(number) if number.is_f64() => {
            let double = number.as_f64().unwrap_or_default();
            let single = double as f32;
            match single.to_string().parse::<f64>() {
                Ok(short) if f64::from(single) == double => short.into(),
                _ => double.into(),
            }
        }
        other => other,
    }
}

/// The origin of a value: its own, or that of the table that was given as a whole.
fn origin(key: &str, loaded: &Configuration<Config>) -> String {
    let mut at = Some(key);
    while let Some(key) = at {
        if let Some(origin) = loaded.origins.get(key) {
            return said(key, origin);
        }
        at = key.rsplit_once('.').map(|(above, _)| above);
    }
    SettingOrigin::Default.to_string()
}

fn said(key: &str, origin: &SettingOrigin) -> String {
    let SettingOrigin::File(path) = origin else {
        return origin.to_string();
    };
    let text = std::fs::read_to_string(path).unwrap_or_default();
    match line_of(&text, key) {
        Some(line) => format!("{path}:{line}"),
        None => path.clone(),
    }
}

/// Says what is wrong with a file. The exit code is 1 when something is.
pub fn check(args: &ConfigCheckArgs, output: Output) -> Result<(), CliError> {
    let name = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|e| CliError::not_found(format!("cannot read `{name}`: {e}")))?;
    let Checked { mistakes, prompts } = checked(&name, &text)?;
    let ended = out::decided(match (mistakes.len(), output) {
        (0, _) => Ok(()),
        // The list says it all.
        (_, Output::Json) => Err(CliError::negative("")),
        (n, _) => Err(CliError::negative(format!("{n} of its settings are wrong"))
            .hint("docs/config.md lists every option; `argosy config show` what they are set to")),
    });
    if output == Output::Json {
        render::json(&mistakes);
        return ended;
    }
    for mistake in &mistakes {
        let place = mistake
            .line
            .map_or_else(|| name.clone(), |n| format!("{name}:{n}"));
        println!("{} {}", format!("{place}:").bold(), mistake.problem);
    }
    if let Some(prompts) = prompts {
        println!("{prompts}");
    }
    if mistakes.is_empty() {
        println!("{name} is right");
    }
    ended
}

/// The result of checking a file.
struct Checked {
    mistakes: Vec<Mistake>,
    /// The folder of prompts that was checked, where the file names one.
    prompts: Option<String>,
}

/// Everything that is wrong with the text of a file. The files that hold its secrets are not checked, because they
/// are on the machine that uses them.
fn checked(name: &str, text: &str) -> Result<Checked, CliError> {
    let sources = Sources::new().text(name, text).without_secret_files();
    let mistakes = match settings::load::<Config>(sources) {
        Ok(loaded) => {
            return Ok(Checked {
                mistakes: unfitting(&loaded.value, text),
                prompts: loaded.value.prompts_dir.as_deref().map(looked_at),
            });
        }
        Err(Error::Invalid { problems }) => {
            let mut all: Vec<_> = problems.iter().map(|one| mistake(one, text)).collect();
            all.sort_by_key(|one| one.line);
            all
        }
        Err(error) => vec![Mistake {
            key: String::new(),
            line: None,
            problem: error.to_string(),
        }],
    };
    Ok(Checked {
        mistakes,
        prompts: None,
    })
}

/// Where prompts were looked for: a relative folder is one of the working directory.
fn looked_at(dir: &Path) -> String {
    let full = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let full = full.display();
    match dir.is_dir() {
        true => format!("`prompts_dir`: looked at {full}"),
        false => format!(
            "`prompts_dir`: {full} is not here, so no prompt was looked at; a role that starts without it ends with an error"
        ),
    }
}

/// What is wrong although every single value is valid.
fn unfitting(config: &Config, text: &str) -> Vec<Mistake> {
    let mut all = Vec::new();
    if let Err(error) = config.validate() {
        all.push(Mistake {
            key: String::new(),
            line: None,
            problem: format!("{error:#}"),
        });
    }
    let names = config
        .check_prompts_dir()
        .map_err(|error| error.to_string());
    let dir = names.and_then(|()| {
        // A folder that is not there is on the machines that run workers.
        let is_here = config.prompts_dir.as_deref().is_some_and(Path::is_dir);
        let checked = is_here.then(|| roles::check_prompts_dir(config));
        checked.unwrap_or(Ok(())).map_err(|error| error.to_string())
    });
    if let Err(error) = dir {
        let key = "prompts_dir";
        all.push(Mistake {
            key: key.into(),
            line: line_of(text, key),
            problem: format!("`{key}`: {error}"),
        });
    }
    all
}

fn mistake(problem: &SettingProblem, text: &str) -> Mistake {
    let SettingProblem {
        key, value, fault, ..
    } = problem;
    let value = value.as_ref().map_or(String::new(), |v| format!(" = {v}"));
    let words = match fault {
        SettingFault::Unknown {
            nearest: Some(name),
        } => format!("unknown setting, did you mean `{name}`?"),
        SettingFault::Unknown { nearest: None } => "unknown setting".into(),
        SettingFault::Wrong { wanted } => format!("wants {wanted}"),
        SettingFault::Broken { rule } => rule.clone(),
        SettingFault::Twice { also } => format!("is given twice, also by {also}"),
        SettingFault::SecretFile { reason } => format!("cannot use the file: {reason}"),
    };
    Mistake {
        key: key.clone(),
        line: line_of(text, key),
        problem: format!("`{key}`{value}: {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(name: &str, text: &str) -> Result<Vec<Mistake>, CliError> {
        Ok(checked(name, text)?.mistakes)
    }

    #[test]
    fn every_mistake_has_its_line_and_what_was_meant() {
        let text = "[run]\nslotz = 4\n\n[nats]\nurl = 5\n";
        let found = mistakes("argosy.toml", text).unwrap();
        let lines: Vec<_> = found.iter().map(|m| (m.key.as_str(), m.line)).collect();
        assert_eq!(lines, [("run.slotz", Some(2)), ("nats.url", Some(5))]);
        assert!(found[0].problem.contains("did you mean `run.slots`?"));
        assert_eq!(mistakes("x", "[run]\nslots = 4\n").unwrap(), []);
        assert_eq!(mistakes("x", "[run").unwrap().len(), 1);
        let broken = mistakes("x", "[streams]\nreplicas = 2\n").unwrap();
        assert!(broken[0].problem.contains("1, 3 or 5"), "{broken:?}");
    }

    #[test]
    fn a_secret_that_is_elsewhere_is_no_mistake_and_hides_none() {
        let node = "[model]\nmodel = \"m\"\n[[model.nodes]]\nname = \"a\"\nbase_url = \"http://a:1\"\n\
                    api_key_file = \"/nowhere/key\"\n";
        assert_eq!(mistakes("x", node).unwrap(), []);
        let broken = mistakes("x", &format!("{node}[streams]\nreplicas = 2\n")).unwrap();
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert!(broken[0].problem.contains("1, 3 or 5"), "{broken:?}");
    }

    #[test]
    fn a_misspelt_section_is_named() {
        for key in ["model = \"m\"", "url = \"http://a\"", "retries = 1"] {
            let found = mistakes("x", &format!("[modle]\n{key}\n")).unwrap();
            let problem = &found[0].problem;
            assert!(problem.contains("did you mean `model"), "{problem}");
            assert!(!problem.contains("`models"), "{problem}");
        }
    }

    #[test]
    fn what_is_shown_can_be_read_back() {
        let toml = "[model]\nmodel = \"m\"\n[[model.nodes]]\nname = \"a\"\nbase_url = \"http://a:1\"\n\
                    api_key = \"hush-hush\"\n[nats]\nurl = \"nats://me:s3cret@host:1\"\n";
        let loaded = settings::load::<Config>(Sources::new().text("argosy.toml", toml)).unwrap();
        let all = options(&loaded).unwrap();
        let text: Vec<String> = all.iter().map(line).collect();
        let text = text.join("\n");
        assert!(
            !text.contains("hush-hush") && !text.contains("s3cret"),
            "{text}"
        );
        let of = |key: &str| all.iter().find(|one| one.key == key).unwrap();
        assert_eq!(of("nats.url").value, "nats://***@host:1");
        assert_eq!(of("run.slots").origin, "default");
        assert!(of("model.nodes").origin.starts_with("argosy.toml"));
        assert_eq!(of("nats.creds").value, Value::Null);
        // The mask alone is refused, as it should be.
        let again = text.replace("\"***\"", "\"key\"");
        let again = settings::load::<Config>(Sources::new().text("shown", again)).unwrap();
        assert_eq!(again.value.run, loaded.value.run);
        assert_eq!(again.value.streams, loaded.value.streams);
    }
}
