//! `argosy webhook`: adds, lists and removes the endpoints that doors tell of the ends of turns, and tries one.

use crate::cli::{
    OneWebhookArgs, Output, WebhookCommand, WebhookCreateArgs, WebhookFileArgs, WebhookRotateArgs,
};
use crate::cli_error::CliError;
use crate::command::key::{lock, write};
use crate::config::Config;
use crate::conversations::now;
use crate::out::{notice, println};
use crate::render;
use door::{Webhook, WebhookFile, WebhookSecret};
use envelope::{Groups, TenantId, WebhookName};
use owo_colors::OwoColorize;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Adds, lists, removes and tries webhooks.
pub async fn run(what: WebhookCommand, config: &Config, output: Output) -> Result<(), CliError> {
    match what {
        WebhookCommand::Create(args) => create(args, config, output),
        WebhookCommand::Ls(args) => ls(args, config, output),
        WebhookCommand::Rotate(args) => rotate(args, config, output),
        WebhookCommand::Remove(args) => remove(args, config, output),
        WebhookCommand::Test(args) => test(args, config, output).await,
    }
}

fn create(args: WebhookCreateArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let path = path(args.file, config)?;
    let wrong = |flag: &str, why: String| CliError::usage(format!("{flag}: {why}"));
    let name = WebhookName::new(args.name).map_err(|error| wrong("NAME", error.to_string()))?;
    let tenant = TenantId::new(args.tenant);
    let groups = Groups::new(args.groups);
    let secret = secret()?;
    let webhook = Webhook {
        name: name.clone(),
        tenant: tenant.map_err(|error| wrong("--tenant", error.to_string()))?,
        groups: groups.map_err(|error| wrong("--groups", error.to_string()))?,
        url: args.url,
        secrets: vec![secret.clone()],
        allow_private: args.allow_private,
        added: now(),
    };
    webhook.validate().map_err(|why| wrong("--url", why))?;
    let _lock = lock(&path)?;
    let mut file = match path.exists() {
        true => read(&path)?,
        false => WebhookFile::default(),
    };
    if file.webhooks.iter().any(|webhook| webhook.name == name) {
        let text = format!("there is a webhook `{}` already", name.as_str());
        return Err(CliError::usage(text).hint("remove it first, or take another name"));
    }
    let is_bare = webhook.groups.is_empty();
    file.webhooks.push(webhook);
    file.validate().map_err(CliError::usage)?;
    write(&path, &file)?;
    shown(secret, output);
    if is_bare && output == Output::Text {
        let told = "It is told of turns of askers without groups. Whoever asks at a door without logins has all of them: \
                    then give it --groups '*'.";
        notice!("{}", told.dimmed());
    }
    Ok(())
}

/// Prints a secret, for the endpoint.
fn shown(secret: WebhookSecret, output: Output) {
    let secret = String::from(secret);
    match output {
        Output::Json => render::json(&json!({ "secret": secret })),
        _ => {
            println!("{secret}");
            notice!("{}", "The endpoint checks signatures with it.".dimmed());
        }
    }
}

fn ls(args: WebhookFileArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let file = read(&path(args, config)?)?;
    if output == Output::Json {
        let webhooks = file.webhooks.iter().map(|webhook| {
            json!({"name": webhook.name, "tenant": webhook.tenant, "groups": webhook.groups, "url": webhook.url,
                "secrets": webhook.secrets.len(), "allow_private": webhook.allow_private, "added": webhook.added})
        });
        render::json(&json!({ "webhooks": webhooks.collect::<Vec<_>>() }));
        return Ok(());
    }
    let head = format!("{:<24} {:<24} url", "name", "tenant");
    println!("{}", head.bold());
    for webhook in &file.webhooks {
        let groups = match webhook.groups.is_empty() {
            true => String::new(),
            false => format!(", groups {}", webhook.groups),
        };
        println!(
            "{:<24} {:<24} {}{groups}",
            webhook.name, webhook.tenant, webhook.url
        );
    }
    Ok(())
}

fn rotate(args: WebhookRotateArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let path = path(args.one.file, config)?;
    let _lock = lock(&path)?;
    let mut file = read(&path)?;
    let at = place(&file, &args.one.name, &path)?;
    let secrets = &mut file.webhooks[at].secrets;
    let new = match args.finish {
        true => None,
        false => Some(secret()?),
    };
    match &new {
        // The newest comes first, and one before it stays.
        Some(secret) => secrets.insert(0, secret.clone()),
        None => secrets.truncate(1),
    }
    secrets.truncate(2);
    write(&path, &file)?;
    match (new, output) {
        (Some(secret), _) => shown(secret, output),
        (None, Output::Json) => render::json(&json!({ "rotated": args.one.name })),
        (None, _) => println!("{} has one secret", args.one.name),
    }
    Ok(())
}

fn remove(args: OneWebhookArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let path = path(args.file, config)?;
    let _lock = lock(&path)?;
    let mut file = read(&path)?;
    let at = place(&file, &args.name, &path)?;
    file.webhooks.remove(at);
    write(&path, &file)?;
    match output {
        Output::Json => render::json(&json!({ "removed": args.name })),
        _ => println!("removed {}", args.name),
    }
    Ok(())
}

async fn test(args: OneWebhookArgs, config: &Config, output: Output) -> Result<(), CliError> {
    let path = path(args.file, config)?;
    let file = read(&path)?;
    let webhook = &file.webhooks[place(&file, &args.name, &path)?];
    let status = webhook.ping(now()).await.map_err(|error| {
        let text = format!("`{}` did not take the event: {error}", args.name);
        CliError::negative(text)
    })?;
    match output {
        Output::Json => render::json(&json!({ "webhook": args.name, "status": status })),
        _ => println!("{} took the event with status {status}", args.name),
    }
    Ok(())
}

/// Where the webhook of a name is in the file.
fn place(file: &WebhookFile, name: &str, path: &Path) -> Result<usize, CliError> {
    let mut names = file.webhooks.iter().map(|webhook| webhook.name.as_str());
    names.position(|one| one == name).ok_or_else(|| {
        let list = format!(
            "list them with: argosy webhook ls --webhooks {}",
            path.display()
        );
        CliError::not_found(format!("there is no webhook `{name}`")).hint(list)
    })
}

fn path(args: WebhookFileArgs, config: &Config) -> Result<PathBuf, CliError> {
    let path = args.webhooks.or_else(|| config.door.webhooks.clone());
    path.ok_or_else(|| {
        CliError::usage("which file of webhooks?")
            .hint("name it with --webhooks FILE, or set `door.webhooks`")
    })
}

fn read(path: &Path) -> Result<WebhookFile, CliError> {
    WebhookFile::read(path).map_err(|error| CliError::usage(error.to_string()))
}

fn secret() -> Result<WebhookSecret, CliError> {
    WebhookSecret::random().ok_or_else(|| CliError::negative("the system has no random bytes"))
}
