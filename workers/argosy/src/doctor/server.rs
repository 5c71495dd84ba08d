//! Checks the server: it is reachable and new enough, its streams are set up, its clock is right, and there are no
//! dead letters.

use super::{Checked, Ground, Said, first};
use crate::config::Config;
use crate::render::bytes;
use bus::{Bus, BusError, Stream};
use bus_nats::{self as nats, Change, Clock, NatsBus, without_secrets};

/// The hint for a server without JetStream.
pub(crate) const START_JETSTREAM: &str =
    "start nats-server with -js, and enable JetStream for this account";
/// The oldest server that has what the streams need, as major and minor version.
const OLDEST: (u64, u64) = (2, 14);
/// The least message size: an envelope with its headers, a document in its message, or a chunk.
const PAYLOAD_MIN: usize = 1024 * 1024;
/// Clocks that differ by more, in milliseconds, make deadlines wrong by as much.
const SKEW_WARN_MS: u64 = 500;
/// Beyond this difference, in milliseconds, questions expire although they have time, or are worked on although they
/// have none.
const SKEW_FAIL_MS: u64 = 5_000;
/// How many differences are named.
const NAMED: usize = 3;

pub(super) fn connection(config: &Config, bus: &NatsBus) -> Said {
    let url = without_secrets(&config.nats.url);
    Said::ok(format!("connected to `{}` at {url}", bus.facts().name))
}

pub(super) fn no_connection(config: &Config, error: &BusError) -> Said {
    let url = without_secrets(&config.nats.url);
    let (why, fix) = match error {
        BusError::Denied(why) => (
            format!("the server refuses these credentials: {why}"),
            "look at --creds, or at user and password in --server: the server knows others",
        ),
        BusError::Away(why) => (
            format!("no connection to {why}"),
            "look whether nats-server runs there and --server, --creds and --tls-ca are right",
        ),
        other => (
            format!("no connection to {url}: {other}"),
            "look whether --creds, --tls-ca and the other files of this connection are right",
        ),
    };
    Said::fail(why, fix)
}

pub(super) async fn jetstream(on: &Ground<'_>) -> Checked {
    let bus = on.bus()?;
    let facts = bus.facts();
    if let Some(said) = too_old(&facts.version) {
        return Ok(said);
    }
    if facts.max_payload < PAYLOAD_MIN {
        let text = format!("messages may have {} bytes only", facts.max_payload);
        return Ok(Said::fail(
            text,
            "set `max_payload` of nats-server to 1MB or more",
        ));
    }
    Ok(match bus.account().await {
        Ok(account) => {
            let limit = match account.limit {
                Some(limit) => format!("of {} granted", bytes(limit)),
                None => "and no limit of the account".into(),
            };
            Said::ok(format!(
                "nats-server {}, JetStream holds {} in {} streams, {} promised {limit}",
                facts.version,
                bytes(account.stored),
                account.streams,
                bytes(account.reserved),
            ))
        }
        Err(error @ BusError::NoJetStream(_)) => Said::fail(error.to_string(), START_JETSTREAM),
        Err(error) => Said::fail(
            format!("nats-server {}, and no JetStream: {error}", facts.version),
            START_JETSTREAM,
        ),
    })
}

/// What is wrong with a version, if anything is. Text that is no version passes.
fn too_old(version: &str) -> Option<Said> {
    let mut parts = version.split(['.', '-']).map(str::parse);
    let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
        return None;
    };
    ((major, minor) < OLDEST).then(|| {
        let (major, minor) = OLDEST;
        Said::fail(
            format!("nats-server is {version}, and {major}.{minor} or newer is wanted"),
            "upgrade nats-server; streams and consumers stay as they are",
        )
    })
}

pub(super) async fn topology(on: &Ground<'_>) -> Checked {
    let bus = on.bus()?;
    let changes = nats::check_within(bus, &on.config.streams, &on.config.allowance()).await?;
    Ok(drift(&changes))
}

fn drift(changes: &[Change]) -> Said {
    let differing: Vec<String> = changes
        .iter()
        .filter_map(|change| match change {
            Change::Unchanged(_) | Change::Kept(..) => None,
            Change::Created(name) => Some(format!("{name} is missing")),
            Change::Updated(name, what) | Change::Scaled(name, what) => {
                Some(format!("{name}: {what}"))
            }
        })
        .collect();
    if differing.is_empty() {
        let kept = changes.iter().filter(|c| matches!(c, Change::Kept(..)));
        let sizes = match kept.count() {
            0 => String::new(),
            n => format!(", {n} of them of another size than the defaults"),
        };
        return Said::ok(format!(
            "{} streams, consumers and object stores are as wanted{sizes}",
            changes.len()
        ));
    }
    Said::fail(
        format!(
            "{} of {} differ: {}",
            differing.len(),
            changes.len(),
            first(NAMED, &differing)
        ),
        "run `argosy setup` with the same configuration; `argosy setup --check` names all",
    )
}

pub(super) async fn clock(on: &Ground<'_>) -> Checked {
    let bus = on.bus()?;
    for stream in Stream::ALL {
        match bus.clock(stream).await {
            Ok(clock) => return Ok(skew(clock)),
            Err(BusError::Missing(_)) => continue,
            Err(error) => return Err(error.into()),
        }
    }
    let none = "the server tells its time with a stream, and none is there, see D03";
    Ok(Said::skip(none))
}

/// The finding on the clock. Clocks can be compared to within half a round trip, which is not counted against them.
fn skew(clock: Clock) -> Said {
    let apart = clock.server.0.abs_diff(clock.here.0);
    let certain = apart.saturating_sub(clock.round_trip.as_millis() as u64 / 2 + 1);
    let word = match clock.server > clock.here {
        true => "ahead of",
        false => "behind",
    };
    let text = format!("the server's clock is {apart} ms {word} this machine's");
    let fix = "let NTP or chrony set the clocks of the server and of every worker's machine";
    match certain {
        0..=SKEW_WARN_MS => Said::ok(format!(
            "the server's clock agrees to within {} ms",
            apart.max(1)
        )),
        _ if certain <= SKEW_FAIL_MS => Said::warn(text, fix),
        _ => Said::fail(text, fix),
    }
}

pub(super) async fn dead_letters(on: &Ground<'_>) -> Checked {
    let bus = on.bus()?;
    Ok(given_up(bus.state(Stream::Dead).await?.messages))
}

fn given_up(letters: u64) -> Said {
    match letters {
        0 => Said::ok("no dead letters"),
        n => Said::warn(
            format!("{n} dead letters of the last days"),
            "`argosy dead ls` says why; what was mended is tried again with `argosy dead retry`",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::CheckStatus;
    use super::*;
    use envelope::UnixMs;
    use std::time::Duration;

    #[test]
    fn an_old_server_is_told_from_a_new_one() {
        for good in ["2.14.0", "2.15.1", "3.0.0-beta.1", "dev"] {
            assert_eq!(too_old(good), None, "{good}");
        }
        for old in ["2.10.29", "2.13.9-RC.1", "1.4.1"] {
            assert_eq!(too_old(old).unwrap().verdict, CheckStatus::Fail, "{old}");
        }
    }

    #[test]
    fn a_closed_door_is_not_an_empty_house() {
        let config = Config::default();
        let said = |error| no_connection(&config, &error);
        let denied = said(BusError::Denied("nats://h: no".into()));
        assert!(denied.text.contains("credentials"), "{denied:?}");
        assert!(denied.fix.unwrap().contains("user and password"));
        let away = said(BusError::Away("nats://h: refused".into()));
        assert_eq!(away.text, "no connection to nats://h: refused");
    }

    #[test]
    fn half_a_round_trip_is_not_held_against_a_clock() {
        let said = |server, here, round_trip| {
            let (server, here) = (UnixMs(server), UnixMs(here));
            let round_trip = Duration::from_millis(round_trip);
            let clock = Clock {
                server,
                here,
                round_trip,
            };
            skew(clock)
        };
        assert_eq!(said(10_000, 10_400, 1).verdict, CheckStatus::Ok);
        assert_eq!(said(10_000, 12_000, 1).verdict, CheckStatus::Warn);
        assert_eq!(said(10_000, 12_000, 4_000).verdict, CheckStatus::Ok);
        let late = said(20_000, 10_000, 2);
        assert_eq!(late.verdict, CheckStatus::Fail);
        assert!(late.text.contains("10000 ms ahead of"), "{late:?}");
    }

    #[test]
    fn what_differs_is_named_and_the_rest_counted() {
        let all = |n| (0..n).map(|i| Change::Created(format!("stream {i}")));
        assert_eq!(
            drift(&[Change::Unchanged("a".into())]).verdict,
            CheckStatus::Ok
        );
        let said = drift(&all(5).collect::<Vec<_>>());
        assert_eq!(said.verdict, CheckStatus::Fail);
        assert!(
            said.text.contains("stream 2 is missing and 2 more"),
            "{said:?}"
        );
    }

    #[test]
    fn dead_letters_are_looked_at_with_our_own_command() {
        assert_eq!(given_up(0).verdict, CheckStatus::Ok);
        let said = given_up(3);
        assert_eq!(said.verdict, CheckStatus::Warn);
        assert!(said.fix.unwrap().contains("argosy dead ls"));
    }

    #[test]
    fn bytes_are_said_in_the_largest_unit() {
        let said: Vec<_> = [0, 1023, 1 << 20, 38 << 30].map(bytes).into();
        assert_eq!(said, ["0 B", "1023 B", "1.0 MiB", "38.0 GiB"]);
    }
}
