//! Renders the state of the fleet as tables in which zeros are shown as `--`, so that they do not catch the eye.

use inspect::position::TurnPosition;
use inspect::status::{
    ConversationStatus, FleetStatus, RoleStatus, StoreStatus, StreamRoom, TurnStatus,
};
use owo_colors::OwoColorize;
use std::fmt::Write;
use telemetry::buckets::STEP_DURATION;

/// The note for a fleet of which only the streams are there.
const NO_PROCESS: &str = "no process reports; start one of each role with `argosy run ROLE`, or a whole fleet with a \
     server of its own with `argosy up`";

/// The whole state, as lines.
pub(crate) fn table(status: &FleetStatus) -> String {
    let mut text = String::new();
    let head = format!(
        "{:<12} {:>7} {:>9} {:>8} {:>8} {:>8} {:>8} {:>7} {:>6}",
        "ROLE", "READY", "FLIGHT", "PENDING", "OLDEST", "P50", "P95", "ERRORS", "DEAD"
    );
    let _ = writeln!(text, "{}", head.bold());
    for role in &status.roles {
        let _ = writeln!(text, "{}", role_line(role));
    }
    let head = format!(
        "{:<20} {:>7} {:>10} {:>10} {:>10}",
        "STREAM", "ROOM", "USED", "OF", "MESSAGES"
    );
    let _ = writeln!(text, "\n{}", head.bold());
    for room in &status.streams {
        let _ = writeln!(text, "{}", room_line(room));
    }
    let _ = writeln!(text, "\n{}", inbox_line(status));
    for line in conversation_lines(&status.conversations) {
        let _ = writeln!(text, "{line}");
    }
    if status.roles.iter().all(|one| one.processes == 0) {
        let _ = writeln!(text, "{}", NO_PROCESS.yellow());
    }
    for role in unknown(status) {
        let why = "a consumer of it is missing, so nothing reaches it";
        let fix = "`argosy setup` makes it, `argosy doctor` says more";
        let _ = writeln!(text, "{}", format!("{role}: {why}; {fix}").red());
    }
    for (role, reason) in reasons(status) {
        let _ = writeln!(text, "{}", format!("{role} not ready: {reason}").yellow());
    }
    if let Some(turn) = &status.turn {
        let _ = writeln!(text, "{}", turn_line(turn));
    }
    text
}

fn reasons(status: &FleetStatus) -> impl Iterator<Item = (envelope::Role, &String)> {
    let roles = status.roles.iter();
    roles.flat_map(|one| one.reasons.iter().map(|reason| (one.role, reason)))
}

/// The roles whose queue cannot be counted.
fn unknown(status: &FleetStatus) -> impl Iterator<Item = envelope::Role> {
    let roles = status.roles.iter();
    roles.filter(|one| one.pending.is_none()).map(|o| o.role)
}

fn role_line(one: &RoleStatus) -> String {
    let waits = [one.pending, one.ack_pending].into_iter().flatten();
    let is_missing = one.ready == 0 && waits.sum::<u64>() > 0;
    let ready = match one.processes {
        0 => "--".to_owned(),
        all => format!("{}/{all}", one.ready),
    };
    let ready = format!("{ready:>7}");
    let ready = match (is_missing, one.ready < one.processes) {
        (true, _) => ready.red().to_string(),
        (false, true) => ready.yellow().to_string(),
        (false, false) => ready,
    };
    let flight = match one.limit {
        0 => "--".to_owned(),
        limit => format!("{}/{limit}", count(one.in_flight)),
    };
    let errors = format!("{:>7}", share(one.errors, one.answered));
    let dead = format!("{:>6}", count(one.dead_letters));
    let pending = format!("{:>8}", one.pending.map_or("?".to_owned(), count));
    let oldest = match one.pending {
        None => "?".to_owned(),
        Some(_) => time(one.oldest_ms),
    };
    format!(
        "{:<12} {ready} {flight:>9} {} {oldest:>8} {:>8} {:>8} {} {}",
        one.role.as_str(),
        match one.pending {
            None => pending.red().to_string(),
            Some(_) => pending,
        },
        took(one.p50_ms),
        took(one.p95_ms),
        if one.errors > 0 {
            errors.yellow().to_string()
        } else {
            errors
        },
        if one.dead_letters > 0 {
            dead.red().to_string()
        } else {
            dead
        },
    )
}

fn room_line(room: &StreamRoom) -> String {
    let percent = match room.bytes {
        0 => "--".to_owned(),
        _ if room.percent < 0.1 => "<0.1 %".to_owned(),
        _ => format!("{:.1} %", room.percent),
    };
    let percent = format!("{percent:>7}");
    format!(
        "{:<20} {} {:>10} {:>10} {:>10}",
        room.stream,
        if room.short {
            percent.red().to_string()
        } else {
            percent
        },
        bytes(room.bytes),
        bytes(room.max_bytes),
        count(room.messages),
    )
}

fn inbox_line(status: &FleetStatus) -> String {
    match status.inbox.pending {
        None => "inbox: not known how many questions wait".to_owned(),
        Some(0) => "inbox: no question waits".to_owned(),
        Some(n) => format!(
            "inbox: {n} {} the oldest open one for {}",
            if n == 1 {
                "question waits,"
            } else {
                "questions wait,"
            },
            time(status.inbox.oldest_ms),
        ),
    }
}

/// The lines about conversations; none for a fleet that has had no conversation and has no worker for them.
fn conversation_lines(all: &ConversationStatus) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(reach) = all.reach_ms {
        lines.push(format!("conversations: reach {} back", time(Some(reach))));
    }
    if all.taking < all.gateways {
        let text = format!(
            "conversations: {} of {} gateways take none (`gateway.conversations`)",
            all.gateways - all.taking,
            all.gateways
        );
        lines.push(text.yellow().to_string());
    }
    lines.extend(all.stores.iter().map(store_line));
    lines
}

fn store_line(store: &StoreStatus) -> String {
    let process = &store.process;
    let Some(behind) = store.behind else {
        let text = format!("store of {process}: none, it reads each log from the stream");
        return text.yellow().to_string();
    };
    let far = match behind {
        0 => "up to date".to_owned(),
        n => format!("{} behind", text::count(n, "event")),
    };
    let free = store
        .free
        .map_or(String::new(), |free| format!(", {} free", bytes(free)));
    format!(
        "store of {process}: {far}, {}, {} on disk{free}",
        text::count(store.conversations, "conversation"),
        bytes(store.bytes)
    )
}

fn turn_line(turn: &TurnStatus) -> String {
    let id = &turn.turn;
    match &turn.position {
        TurnPosition::Waiting {
            before,
            position,
            of,
        } => format!("turn {id}: waits for the {before}, {position} of {of}"),
        TurnPosition::Stuck { before } => {
            format!("turn {id}: waits for the {before}, whose consumer is missing")
        }
        TurnPosition::Working { role } => format!("turn {id}: is with the {role}"),
        TurnPosition::Ended => format!("turn {id}: has ended; see argosy answer {id}"),
    }
}

fn count(n: u64) -> String {
    match n {
        0 => "--".to_owned(),
        n => n.to_string(),
    }
}

fn share(part: u64, all: u64) -> String {
    match part {
        0 => "--".to_owned(),
        part => format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64),
    }
}

fn time(ms: Option<u64>) -> String {
    match ms {
        None | Some(0) => "--".to_owned(),
        Some(ms @ ..1_000) => format!("{ms} ms"),
        Some(ms @ ..10_000) => format!("{:.1} s", ms as f64 / 1_000.0),
        Some(ms @ ..120_000) => format!("{} s", ms / 1_000),
        Some(ms @ ..7_200_000) => format!("{} min", ms / 60_000),
        Some(ms) => format!("{} h", ms / 3_600_000),
    }
}

/// A time that is read from buckets: below the first bound nothing more is known.
fn took(ms: Option<u64>) -> String {
    let first = (STEP_DURATION[0] * 1_000.0) as u64;
    match ms {
        Some(ms) if ms < first => format!("<{first} ms"),
        ms => time(ms),
    }
}

fn bytes(n: u64) -> String {
    match n {
        0 => "--".to_owned(),
        n => super::bytes(n),
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
