//! `argosy prompts`: lists the prompts, compares them with a folder of replacements, and checks the folder. It needs
//! neither a fleet nor a model.

use crate::cli::{Output, PromptsCommand};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::line_diff::{DiffLine, diff};
use crate::out::println;
use crate::{prompt_files, render, roles};
use envelope::Role;
use llm::{EmbeddedPrompt, Prompts};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::path::Path;

/// A prompt in a list.
#[derive(Debug, Serialize)]
struct Listed {
    name: &'static str,
    role: Role,
    /// The first 8 hex digits of a hash of the text in force.
    version: String,
    overridden: bool,
    placeholders: &'static [&'static str],
}

/// A prompt with the text in force.
#[derive(Debug, Serialize)]
struct InForce<'a> {
    #[serde(flatten)]
    listed: Listed,
    text: &'a str,
}

/// What a folder changes of a prompt.
#[derive(Debug, Serialize)]
struct Change<'a> {
    name: &'static str,
    /// The version of the built-in text.
    built_in: String,
    /// The version of the folder's text.
    version: String,
    /// `null` where a text has too many lines to be compared.
    lines: Option<Vec<DiffLine<'a>>>,
}

/// A file that would be refused.
#[derive(Debug, Serialize)]
struct Problem {
    file: String,
    problem: String,
}

/// Runs the command.
pub fn run(what: &PromptsCommand, config: &Config, output: Output) -> Result<(), CliError> {
    let all: Vec<_> = roles::embedded_prompts().collect();
    match what {
        PromptsCommand::Ls => list(&all, &roles::prompts(config)?, output),
        PromptsCommand::Show(args) => show(&all, &roles::prompts(config)?, &args.name, output),
        PromptsCommand::Diff(args) => {
            let dir = args.dir.as_deref().or(config.prompts_dir.as_deref());
            let dir = dir.ok_or_else(|| {
                CliError::usage("no folder of prompts is named")
                    .hint("name one, or set `prompts_dir`")
            })?;
            changes(&all, dir, output)
        }
        PromptsCommand::Check(args) => check(&all, &args.dir, output),
    }
}

/// The text in force, with its description.
fn in_force<'a>(
    (role, prompt): &'a (Role, EmbeddedPrompt),
    prompts: &'a Prompts,
) -> Result<InForce<'a>, CliError> {
    let own = prompts.texts().get(prompt.name);
    let text = own.map_or(prompt.text, String::as_str);
    let read = prompt.replaced(text);
    let read = read.map_err(|error| CliError::usage(format!("`prompts_dir`: {error}")))?;
    Ok(InForce {
        listed: Listed {
            name: prompt.name,
            role: *role,
            version: read.version().to_owned(),
            overridden: own.is_some(),
            placeholders: prompt.placeholders,
        },
        text,
    })
}

fn list(all: &[(Role, EmbeddedPrompt)], prompts: &Prompts, output: Output) -> Result<(), CliError> {
    let listed = all.iter().map(|one| Ok(in_force(one, prompts)?.listed));
    let listed = listed.collect::<Result<Vec<Listed>, CliError>>()?;
    if output == Output::Json {
        render::json(&listed);
        return Ok(());
    }
    let names = listed.iter().map(|one| one.name.len());
    let width = names.max().unwrap_or(0);
    let head = format!("{:<width$}  role       version   text      takes", "name");
    println!("{}", head.bold());
    for one in &listed {
        let text = match one.overridden {
            true => "yours   ",
            false => "built-in",
        };
        println!(
            "{:<width$}  {:<9}  {}  {text}  {}",
            one.name,
            one.role.as_str(),
            one.version,
            one.placeholders.join(", ")
        );
    }
    Ok(())
}

fn show(
    all: &[(Role, EmbeddedPrompt)],
    prompts: &Prompts,
    name: &str,
    output: Output,
) -> Result<(), CliError> {
    let one = all.iter().find(|(_, prompt)| prompt.name == name);
    let one = one.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(_, prompt)| prompt.name).collect();
        CliError::not_found(format!("there is no prompt `{name}`"))
            .hint(format!("there are {}", names.join(", ")))
    })?;
    let shown = in_force(one, prompts)?;
    match output {
        Output::Json => render::json(&shown),
        _ => println!("{}", shown.text.trim_end()),
    }
    Ok(())
}

fn changes(all: &[(Role, EmbeddedPrompt)], dir: &Path, output: Output) -> Result<(), CliError> {
    let prompts = prompt_files::read(dir)?;
    let none = Prompts::default();
    let mut changes = Vec::new();
    for one in all {
        let (built_in, own) = (in_force(one, &none)?, in_force(one, &prompts)?);
        if !own.listed.overridden {
            continue;
        }
        changes.push(Change {
            name: built_in.listed.name,
            built_in: built_in.listed.version,
            version: own.listed.version,
            lines: diff(one.1.text, own.text),
        });
    }
    match output {
        Output::Json => render::json(&changes),
        _ if changes.is_empty() => println!("`{}` replaces no prompt", dir.display()),
        _ => changes.iter().for_each(show_change),
    }
    Ok(())
}

fn show_change(change: &Change<'_>) {
    let versions = match change.built_in == change.version {
        true => "the same as built in".to_owned(),
        false => format!("{} instead of {}", change.version, change.built_in),
    };
    println!(
        "{} {}",
        change.name.bold(),
        format!("({versions})").dimmed()
    );
    let Some(lines) = &change.lines else {
        println!("  too long to be compared");
        return;
    };
    for line in lines {
        match line {
            DiffLine::Both(text) => println!("  {text}"),
            DiffLine::Old(text) => println!("{}", format!("- {text}").red()),
            DiffLine::New(text) => println!("{}", format!("+ {text}").green()),
        }
    }
}

fn check(all: &[(Role, EmbeddedPrompt)], dir: &Path, output: Output) -> Result<(), CliError> {
    let prompts: Vec<EmbeddedPrompt> = all.iter().map(|(_, prompt)| *prompt).collect();
    let wrong = prompt_files::problems(dir, &prompts)?;
    let wrong: Vec<Problem> = wrong
        .into_iter()
        .map(|(file, problem)| Problem {
            file: file.display().to_string(),
            problem,
        })
        .collect();
    if output == Output::Json {
        render::json(&serde_json::json!({"ok": wrong.is_empty(), "problems": wrong}));
    } else {
        for one in &wrong {
            println!("{}: {}", one.file.red(), one.problem);
        }
        if wrong.is_empty() {
            println!("`{}` can be used", dir.display());
        }
    }
    match wrong.len() {
        0 => Ok(()),
        // Told above.
        _ => Err(CliError::negative("")),
    }
}
