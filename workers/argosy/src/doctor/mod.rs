//! Looks for what may be wrong with a fleet, with one check per code. Each check has a time limit, and all checks run
//! even when one fails.
//!
//! A check reads the state from one source, and a pure function beside it makes the finding. A check changes nothing:
//! its publishes are refused, or nobody subscribes to them. *Not* a monitor: the checks run when a person or a probe
//! asks for them.
//!
//! | module | what |
//! |---|---|
//! | [`code`] | the codes of the checks, and the pages that explain them |
//! | `server` | the server: reachable, new enough, set up, with the right time |
//! | `room` | how full the streams are, and which rate of questions they carry |
//! | `access` | which subjects these credentials may publish and subscribe to |
//! | `exposure` | what is open on the server, and to whom |
//! | `processes` | the processes of the fleet: all roles, indexes, disks |
//! | `models` | model nodes: reachable, with a long enough context, and not given more calls than they run at once |
//! | `retrieval` | the servers that searches call: embedder and reranker |
//! | `conversations` | which processes admit and read conversations, and how far back the stream reaches |
//! | `logs` | whether the logs of conversations are consistent |

mod access;
pub mod code;
mod conversations;
mod exposure;
mod logs;
mod models;
mod processes;
mod retrieval;
pub(crate) mod room;
mod server;

pub(crate) use server::START_JETSTREAM;

use crate::config::Config;
use bus::BusError;
use bus_nats::NatsBus;
use futures_util::future::{BoxFuture, join_all};
use inspect::processes::{ProcessStatus, ask};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// The most time for one check.
const TIME: Duration = Duration::from_secs(10);
/// How long to wait for the replies of processes.
const LISTEN: Duration = Duration::from_millis(600);

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CheckStatus {
    /// The check could not be made, for a reason that another check tells.
    Skip,
    /// All is well.
    Ok,
    /// It works, but not for long or not as well as it could.
    Warn,
    /// It does not work.
    Fail,
}

impl CheckStatus {
    /// As it is shown.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            CheckStatus::Skip => "skip",
            CheckStatus::Ok => "ok",
            CheckStatus::Warn => "warn",
            CheckStatus::Fail => "fail",
        }
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// Which check.
    pub(crate) code: &'static str,
    /// The result.
    pub(crate) verdict: CheckStatus,
    /// What was found, in a sentence.
    pub(crate) text: String,
    /// What to do about it, where there is something to do.
    pub(crate) fix: Option<String>,
}

/// A finding without its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    verdict: CheckStatus,
    text: String,
    fix: Option<String>,
}

impl Said {
    pub(crate) fn ok(text: impl Into<String>) -> Said {
        Said {
            verdict: CheckStatus::Ok,
            text: text.into(),
            fix: None,
        }
    }

    pub(crate) fn warn(text: impl Into<String>, fix: impl Into<String>) -> Said {
        Said {
            verdict: CheckStatus::Warn,
            text: text.into(),
            fix: Some(fix.into()),
        }
    }

    pub(crate) fn fail(text: impl Into<String>, fix: impl Into<String>) -> Said {
        Said {
            verdict: CheckStatus::Fail,
            ..Said::warn(text, fix)
        }
    }

    pub(crate) fn skip(text: impl Into<String>) -> Said {
        Said {
            verdict: CheckStatus::Skip,
            ..Said::ok(text)
        }
    }

    /// Joins several findings of one check into the worst of them; those that are fine count only when all are.
    pub(crate) fn together(all: Vec<Said>) -> Said {
        let worst = all.iter().map(|one| one.verdict).max();
        let worst = worst.unwrap_or(CheckStatus::Ok);
        let is_told = |one: &&Said| worst <= CheckStatus::Ok || one.verdict > CheckStatus::Ok;
        let texts: Vec<&str> = all.iter().filter(is_told).map(|one| &*one.text).collect();
        let first = all.iter().find(|one| one.verdict == worst);
        Said {
            verdict: worst,
            text: texts.join("; "),
            fix: first.and_then(|one| one.fix.clone()),
        }
    }

    fn of(self, code: &'static str) -> Finding {
        Finding {
            code,
            verdict: self.verdict,
            text: self.text,
            fix: self.fix,
        }
    }
}

impl From<BusError> for Said {
    fn from(error: BusError) -> Said {
        if matches!(error, BusError::NoJetStream(_)) {
            return Said::skip("no JetStream to look into, see D02");
        }
        let fix = match &error {
            BusError::Missing(_) | BusError::Different { .. } => "run `argosy setup`",
            BusError::Denied(_) => "look at --creds, or at user and password in --server",
            _ => "look at the log of the server; D07 says what these credentials may not do",
        };
        Said::fail(error.to_string(), fix)
    }
}

/// What a check returns: `Ok` for what it found, and `Err` for what `?` ends it with early, as without a connection. That
/// is a finding as well.
type Checked = Result<Said, Said>;

/// The first of a list, at most `most`, and how many more there are.
fn first(most: usize, all: &[String]) -> String {
    let named = all[..all.len().min(most)].join("; ");
    match all.len().saturating_sub(most) {
        0 => named,
        n => format!("{named} and {n} more"),
    }
}

/// What is asked of the checks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckScope {
    /// The questions per second that are to be carried, where the user names a rate.
    pub(crate) rate: Option<f64>,
    /// Logs of conversations to fold anew. Default 8.
    pub(crate) logs: usize,
}

impl Default for CheckScope {
    fn default() -> CheckScope {
        CheckScope {
            rate: None,
            logs: 8,
        }
    }
}

/// What the checks work on.
struct Ground<'a> {
    config: &'a Config,
    wanted: CheckScope,
    bus: Option<Arc<NatsBus>>,
    /// The reports of the processes of the fleet.
    seen: Vec<ProcessStatus>,
}

impl Ground<'_> {
    /// The connection, or the finding of a check without one.
    fn bus(&self) -> Result<&NatsBus, Said> {
        let missing = || Said::skip("no connection to look through, see D01");
        self.bus.as_deref().ok_or_else(missing)
    }
}

/// Makes every check, in the order of their codes.
pub(crate) async fn examine(config: &Config, wanted: CheckScope) -> Vec<Finding> {
    let options = config.nats("argosy-doctor", false);
    let connecting = tokio::time::timeout(TIME, NatsBus::connect(options));
    let connected = connecting.await.unwrap_or_else(|_| {
        let url = bus_nats::without_secrets(&config.nats.url);
        let text = format!("{url} within {} s", TIME.as_secs());
        Err(BusError::Away(text))
    });
    let (bus, connection) = match connected {
        Ok(bus) => (Some(bus.clone()), server::connection(config, &bus)),
        Err(error) => (None, server::no_connection(config, &error)),
    };
    let seen = match &bus {
        Some(bus) => ask(&**bus, LISTEN).await.unwrap_or_default(),
        None => Vec::new(),
    };
    let ground = Ground {
        config,
        wanted,
        bus,
        seen,
    };
    let on = &ground;
    // A code that is given up is never given to another check.
    let checks: [(&str, BoxFuture<'_, Checked>); 17] = [
        ("D02", Box::pin(server::jetstream(on))), // The server is new enough and has JetStream
        ("D03", Box::pin(server::topology(on))),  // Streams and consumers are as wanted
        ("D04", Box::pin(room::full(on))),        // Streams have room
        ("D05", Box::pin(room::carries(on))),     // The streams carry the load
        ("D06", Box::pin(server::clock(on))),     // Clocks agree
        ("D07", Box::pin(access::access(on))),    // Credentials may do what workers do
        ("D08", Box::pin(processes::roles(on))),  // Every role runs and is ready
        ("D09", Box::pin(processes::indexes(on))), // Indexes have caught up
        ("D10", Box::pin(models::reachable(on))), // Models answer and are long enough
        ("D11", Box::pin(models::nodes(on))),     // Processes get answers from their nodes
        ("D12", Box::pin(models::ceiling(on))), // All processes together stay below what nodes run at once
        ("D13", Box::pin(processes::disks(on))), // Data folders have room
        ("D14", Box::pin(server::dead_letters(on))), // No dead letters
        ("D15", Box::pin(retrieval::answering(on))), // Embedder and reranker answer
        ("D16", Box::pin(conversations::conversations(on))), // Conversations are taken, read and kept
        ("D17", Box::pin(logs::logs(on))), // Logs of conversations follow from their events
        ("D18", Box::pin(exposure::exposure(on))), // Nothing is open that should not be
    ];
    let made = checks.map(|(code, check)| async move {
        let said = tokio::time::timeout(TIME, check).await;
        let said = said.unwrap_or_else(|_| Ok(late()));
        said.unwrap_or_else(|early| early).of(code)
    });
    let mut findings = vec![connection.of("D01")]; // The server can be reached
    findings.extend(join_all(made).await);
    findings
}

fn late() -> Said {
    let text = format!("not done within {} s", TIME.as_secs());
    Said::fail(text, "look whether the server is overloaded, and ask again")
}

/// The worst result of all.
pub(crate) fn worst(findings: &[Finding]) -> CheckStatus {
    let verdicts = findings.iter().map(|finding| finding.verdict);
    verdicts.max().unwrap_or(CheckStatus::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_several_decides() {
        let (ok, skip) = (Said::ok("a"), Said::skip("-"));
        let (warn, fail) = (Said::warn("b", "mend b"), Said::fail("c", "mend c"));
        assert_eq!(Said::together(vec![ok.clone(), skip]).text, "a; -");
        let all = Said::together(vec![ok, warn, fail]);
        assert_eq!((all.verdict, &*all.text), (CheckStatus::Fail, "b; c"));
        assert_eq!(all.fix.as_deref(), Some("mend c"));
    }

    #[tokio::test]
    async fn without_a_server_every_check_is_made_or_says_why_not() {
        let mut config = Config::default();
        config.nats.url = "nats://127.0.0.1:1".into();
        config.model.model = crate::model::OFFLINE.into();
        let findings = examine(&config, CheckScope::default()).await;
        let codes: Vec<&str> = findings.iter().map(|f| f.code).collect();
        let paged: Vec<&str> = code::pages().iter().map(|page| page.code).collect();
        assert_eq!(
            codes, paged,
            "one finding a page, in their order: docs/operations/doctor.md wants a section `### D.. title` for each code"
        );
        assert_eq!(findings[0].verdict, CheckStatus::Fail);
        assert_eq!(worst(&findings), CheckStatus::Fail);
        let of = |code| findings.iter().find(|f| f.code == code).unwrap();
        for code in ["D02", "D04", "D07", "D08"] {
            assert_eq!(of(code).verdict, CheckStatus::Skip, "{:?}", of(code));
        }
        // What needs no server is looked at all the same.
        assert_eq!(
            of("D10").verdict,
            CheckStatus::Ok,
            "the offline reader was asked for"
        );
        assert_ne!(of("D13").verdict, CheckStatus::Skip);
        for finding in findings.iter().filter(|f| f.verdict > CheckStatus::Ok) {
            assert!(finding.fix.is_some(), "{finding:?}");
        }
    }
}
