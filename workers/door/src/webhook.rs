//! Webhooks: doors tell endpoints of the ends of turns, over HTTP and signed by the Standard Webhooks specification.
//!
//! Which endpoints there are stands in a file that `argosy webhook` writes and every door reads, again when it has
//! changed. Each has a durable consumer of terminal events that all doors share: an event is with one door at a time, and
//! another one takes it over when that door dies. An event is told at least once and in any order. *Not* here: a queue of
//! our own. What waits, waits in the stream of answers, for as long as answers are kept.
//!
//! | module | what |
//! |---|---|
//! | [`address`] | which addresses may be called, also behind a name |
//! | [`secret`] | secrets and signatures |
//! | [`call`] | an event, and one try to tell an endpoint of it |
//! | [`deliver`] | one terminal event: told, tried again later, or given up |
//! | [`watch`] | the file, and one consumer for each webhook in it |

mod address;
mod call;
mod deliver;
mod secret;
pub(crate) mod watch;

pub use call::CallError;
pub use secret::WebhookSecret;

pub(crate) use deliver::DELAY_MAX;

use call::{Caller, Event};
use envelope::{Groups, Principal, TenantId, Terminal, UnixMs, WebhookName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most webhooks of a fleet: each has a consumer, whose events that wait to be tried again cost the server.
const WEBHOOKS_MAX: usize = 32;
/// Most secrets of a webhook: while one is replaced there are two.
const SECRETS_MAX: usize = 4;

/// An endpoint, and what it is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// Its name, for people, logs and the consumer.
    pub name: WebhookName,
    /// The tenant of whose turns it is told.
    pub tenant: TenantId,
    /// Groups of readers that it stands for: it is told what somebody with these groups may see. Default none.
    #[serde(default, skip_serializing_if = "Groups::is_empty")]
    pub groups: Groups,
    /// Where it listens.
    pub url: String,
    /// What its events are signed with, each event with all of them.
    pub secrets: Vec<WebhookSecret>,
    /// Whether it may be in a private network or on this machine, and be reached without TLS. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_private: bool,
    /// When it was added, in Unix milliseconds: it is told of turns that end after that.
    pub added: UnixMs,
}

impl Webhook {
    /// Checks what no single field shows.
    ///
    /// # Errors
    /// What is wrong, without the secrets.
    pub fn validate(&self) -> Result<(), String> {
        if !(1..=SECRETS_MAX).contains(&self.secrets.len()) {
            return Err(format!("want 1 to {SECRETS_MAX} `secrets`"));
        }
        address::checked(&self.url, self.allow_private).map(|_| ())
    }

    /// Whether it is told of the end of this turn.
    fn wants(&self, ended: &Terminal) -> bool {
        let reader = Principal {
            tenant: self.tenant.clone(),
            groups: self.groups.clone(),
        };
        ended.ended_at >= self.added && reader.covers(&ended.principal())
    }

    /// Sends one event of the type `ping`; returns the status with which it was taken.
    ///
    /// # Errors
    /// Why it was not taken.
    pub async fn ping(&self, now: UnixMs) -> Result<u16, CallError> {
        let caller = Caller::new(self.clone())?;
        caller.call(&Event::ping(&self.name, now), now).await
    }
}

/// The file of webhooks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookFile {
    /// The webhooks.
    #[serde(default)]
    pub webhooks: Vec<Webhook>,
}

/// Why the file of webhooks cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("`door.webhooks`: `{}`: {why}", .path.display())]
pub struct WebhookFileError {
    path: PathBuf,
    why: String,
}

impl WebhookFile {
    /// Reads it.
    ///
    /// # Errors
    /// When it cannot be read, or is no such file.
    pub fn read(path: &Path) -> Result<WebhookFile, WebhookFileError> {
        let text = std::fs::read(path).map_err(|error| error.to_string());
        let file = text.and_then(|text| {
            let wrong = |error: serde_json::Error| without_quotes(&error.to_string());
            let file: WebhookFile = serde_json::from_slice(&text).map_err(wrong)?;
            file.validate()?;
            Ok(file)
        });
        file.map_err(|why| WebhookFileError {
            path: path.to_owned(),
            why,
        })
    }

    /// Checks every webhook, and that each has a name of its own.
    ///
    /// # Errors
    /// What is wrong with which.
    pub fn validate(&self) -> Result<(), String> {
        if self.webhooks.len() > WEBHOOKS_MAX {
            return Err(format!("want at most {WEBHOOKS_MAX} webhooks"));
        }
        let mut names = BTreeSet::new();
        for webhook in &self.webhooks {
            let name = webhook.name.as_str();
            if !names.insert(name) {
                return Err(format!("there are two webhooks `{name}`"));
            }
            let valid = webhook.validate();
            valid.map_err(|why| format!("webhook `{name}`: {why}"))?;
        }
        Ok(())
    }
}

/// What is wrong, without the texts of the file that it quotes: one of them may be a secret.
fn without_quotes(why: &str) -> String {
    match (why.split_once('"'), why.rsplit_once('"')) {
        (Some((before, _)), Some((_, after))) => format!("{before}\"…\"{after}"),
        _ => why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Outcome, TurnId};

    fn webhook() -> Webhook {
        Webhook {
            name: WebhookName::new("crm").expect("a name"),
            tenant: TenantId::new("acme").expect("a tenant"),
            groups: Groups::default(),
            url: "https://crm.example/argosy".into(),
            secrets: vec![WebhookSecret::random().expect("a secret")],
            allow_private: false,
            added: UnixMs(1_000),
        }
    }

    #[test]
    fn a_file_is_what_was_written_and_shows_no_secret() {
        let file = WebhookFile {
            webhooks: vec![webhook()],
        };
        let text = serde_json::to_string(&file).expect("JSON");
        assert!(text.contains("whsec_"), "{text}");
        assert_eq!(
            serde_json::from_str::<WebhookFile>(&text).expect("it"),
            file
        );
        assert!(!format!("{file:?}").contains("whsec_"), "{file:?}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let said = |change: fn(&mut WebhookFile)| {
            let mut file = WebhookFile {
                webhooks: vec![webhook()],
            };
            change(&mut file);
            file.validate().err().unwrap_or_default()
        };
        assert_eq!(said(|_| {}), "");
        let twice = said(|file| file.webhooks.push(webhook()));
        assert_eq!(twice, "there are two webhooks `crm`");
        let bare = said(|file| file.webhooks[0].secrets.clear());
        assert_eq!(bare, "webhook `crm`: want 1 to 4 `secrets`");
        let plain = said(|file| file.webhooks[0].url = "http://crm.example/".into());
        assert!(
            plain.starts_with("webhook `crm`: ") && plain.contains("https"),
            "{plain}"
        );
    }

    #[test]
    fn a_file_that_is_wrong_is_not_quoted() {
        let file = r#"{"webhooks": [{"name": "a", "secrets": "whsec_c2VjcmV0"}]}"#;
        let wrong = serde_json::from_str::<WebhookFile>(file).map(drop);
        let said = without_quotes(&wrong.expect_err("no list").to_string());
        assert!(!said.contains("c2Vj") && said.contains("line 1"), "{said}");
    }

    #[test]
    fn it_is_told_of_its_tenant_and_of_what_ends_after_it_was_added() {
        let ended = |tenant: &str, at| {
            let turn = TurnId::new("t").expect("an id");
            let tenant = TenantId::new(tenant).expect("a tenant");
            Terminal::bare(turn, tenant, Outcome::Answered, UnixMs(at))
        };
        for (tenant, at, wanted) in [
            ("acme", 1_000, true),
            ("acme", 999, false),
            ("other", 1_000, false),
            ("default", 1_000, false),
        ] {
            assert_eq!(webhook().wants(&ended(tenant, at)), wanted, "{tenant} {at}");
        }
    }

    #[test]
    fn it_is_told_what_its_groups_may_see() {
        let groups = |names: &[&str]| Groups::new(names.iter().copied()).expect("groups");
        let turn = TurnId::new("t").expect("an id");
        for (of_webhook, of_asker, wanted) in [
            (&[][..], &[][..], true),
            (&[], &["hr"], false),
            (&["hr"], &[], true),
            (&["hr"], &["hr", "law"], false),
            (&["hr", "law"], &["law"], true),
            (&["*"], &["hr"], true),
            (&["hr"], &["*"], false),
        ] {
            let webhook = Webhook {
                groups: groups(of_webhook),
                ..webhook()
            };
            let tenant = webhook.tenant.clone();
            let bare = Terminal::bare(turn.clone(), tenant, Outcome::Answered, UnixMs(2_000));
            let ended = Terminal {
                groups: groups(of_asker),
                ..bare
            };
            assert_eq!(webhook.wants(&ended), wanted, "{of_webhook:?} {of_asker:?}");
        }
    }
}
