//! `argosy key`: makes, lists and revokes the keys of the doors.

use crate::cli::{KeyCommand, KeyCreateArgs, KeyFileArgs, KeyRevokeArgs, Output};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::out::{notice, println};
use crate::render;
use door::{ApiKey, KeyFile, Scope};
use envelope::{Groups, TenantId};
use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::json;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Makes, lists and revokes keys.
pub fn run(what: KeyCommand, config: &Config, output: Output) -> Result<(), CliError> {
    match what {
        KeyCommand::Create(args) => create(args, config, output),
        KeyCommand::Ls(args) => ls(args, config, output),
        KeyCommand::Revoke(args) => revoke(args, config, output),
    }
}

fn create(args: KeyCreateArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let path = path(args.file, config)?;
    let tenant = TenantId::new(args.tenant)
        .map_err(|error| CliError::usage(format!("--tenant: {error}")))?;
    let groups =
        Groups::new(args.groups).map_err(|error| CliError::usage(format!("--groups: {error}")))?;
    let _lock = lock(&path)?;
    let mut file = match path.exists() {
        true => read(&path)?,
        false => KeyFile::default(),
    };
    if file.keys.iter().any(|key| key.name == args.name) {
        let text = format!("there is a key `{}` already", args.name);
        return Err(CliError::usage(text).hint("revoke it first, or take another name"));
    }
    let is_given = |scope: &Scope| args.scopes.iter().any(|word| word == scope.as_str());
    let secret = secret()?;
    file.keys.push(ApiKey {
        name: args.name,
        sha256: KeyFile::hash(&secret),
        tenant,
        groups,
        scopes: Scope::ALL.into_iter().filter(is_given).collect(),
        per_minute: args.per_minute,
        tokens_per_hour: args.tokens_per_hour,
    });
    write(&path, &file)?;
    match output {
        Output::Json => render::json(&json!({ "key": secret })),
        _ => {
            println!("{secret}");
            notice!(
                "{}",
                "This is the only time that it is shown. Use it as: Authorization: Bearer KEY"
                    .dimmed()
            );
        }
    }
    Ok(())
}

fn ls(args: KeyFileArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let file = read(&path(args, config)?)?;
    if output == Output::Json {
        let keys = file
            .keys
            .iter()
            .map(|key| json!({"name": key.name, "tenant": key.tenant, "groups": key.groups, "scopes": key.scopes,
                "per_minute": key.per_minute, "tokens_per_hour": key.tokens_per_hour}));
        render::json(&json!({ "keys": keys.collect::<Vec<_>>() }));
        return Ok(());
    }
    println!(
        "{}",
        format!("{:<24} {:<24} {:<24} scopes", "name", "tenant", "groups").bold()
    );
    for key in &file.keys {
        let scopes = key.scopes.iter().map(|scope| scope.as_str());
        let questions = key.per_minute.map(|n| format!("{n} questions a minute"));
        let tokens = key.tokens_per_hour.map(|n| format!("{n} tokens an hour"));
        let limits = questions.into_iter().chain(tokens);
        let scopes: Vec<String> = scopes.map(str::to_owned).chain(limits).collect();
        let scopes = scopes.join(", ");
        println!(
            "{:<24} {:<24} {:<24} {scopes}",
            key.name,
            key.tenant.as_str(),
            key.groups.to_string()
        );
    }
    Ok(())
}

fn revoke(args: KeyRevokeArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let path = path(args.file, config)?;
    let _lock = lock(&path)?;
    let mut file = read(&path)?;
    let before = file.keys.len();
    file.keys.retain(|key| key.name != args.name);
    if file.keys.len() == before {
        let text = format!("there is no key `{}`", args.name);
        return Err(CliError::not_found(text).hint(format!(
            "list them with: argosy key ls --keys {}",
            path.display()
        )));
    }
    write(&path, &file)?;
    match output {
        Output::Json => render::json(&json!({ "revoked": args.name })),
        _ => println!("revoked {}", args.name),
    }
    Ok(())
}

fn path(args: KeyFileArgs, config: &Config) -> Result<PathBuf, CliError> {
    args.keys
        .or_else(|| config.door.keys.clone())
        .ok_or_else(|| {
            CliError::usage("which file of keys?")
                .hint("name it with --keys FILE, or set `door.keys`")
        })
}

fn read(path: &Path) -> Result<KeyFile, CliError> {
    KeyFile::read(path).map_err(|error| CliError::usage(error.to_string()))
}

/// Waits until nobody else changes the files of this folder: what was read must still be so when it is written.
pub(crate) fn lock(path: &Path) -> Result<File, CliError> {
    let folder = File::open(folder_of(path)).map_err(|error| failed(path, &error))?;
    folder.lock().map_err(|error| failed(path, &error))?;
    Ok(folder)
}

fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn failed(path: &Path, error: &std::io::Error) -> CliError {
    match error.kind() {
        ErrorKind::NotFound => {
            CliError::not_found(format!("`{}`: its folder does not exist", path.display()))
        }
        _ => CliError::negative(format!("`{}`: {error}", path.display())),
    }
}

/// Replaces the file at once, so that no door reads half of it. Only its owner may read it.
pub(crate) fn write(path: &Path, file: &impl Serialize) -> Result<(), CliError> {
    let fail = |error: std::io::Error| failed(path, &error);
    let mut written = tempfile::NamedTempFile::new_in(folder_of(path)).map_err(fail)?;
    let text = serde_json::to_string_pretty(file).map_err(std::io::Error::from);
    std::io::Write::write_all(&mut written, text.map_err(fail)?.as_bytes()).map_err(fail)?;
    written.as_file().sync_all().map_err(fail)?;
    written.persist(path).map_err(|error| fail(error.error))?;
    Ok(())
}

/// A secret that nobody can guess: the random bits of an id of a conversation.
fn secret() -> Result<String, CliError> {
    let random = streams::client::new_conversation()?;
    Ok(format!(
        "argosy-{}",
        random.as_str().trim_start_matches("c-")
    ))
}
