//! Checks the processes of the fleet by the status that they report: every role runs and is ready, the indexes have
//! caught up, and the disks have room.

use super::conversations::are_taken;
use super::{Checked, Ground, Said};
use crate::render::bytes;
use bus::{Bus, Stream};
use envelope::{Edition, Role, subject};
use inspect::disk::{self, Disk};
use inspect::processes::ProcessStatus;
use std::collections::BTreeMap;

/// Below this much free space, in bytes, a disk counts as full.
const FREE_FAIL: u64 = 512 << 20;
/// Below this much free space, in bytes, or below [`FREE_WARN_SHARE`] of the disk, the check warns.
const FREE_WARN: u64 = 2 << 30;
/// See [`FREE_WARN`].
const FREE_WARN_SHARE: f64 = 0.05;
/// How many messages an index may be behind while documents come in.
const BEHIND_WARN: u64 = 10_000;

pub(super) async fn roles(on: &Ground<'_>) -> Checked {
    on.bus()?;
    Ok(standing(&on.seen))
}

fn standing(seen: &[ProcessStatus]) -> Said {
    if seen.is_empty() {
        return Said::fail(
            "no process of this fleet answers",
            "start one of each role: `argosy run gateway`, … ; `argosy up` starts all on this machine",
        );
    }
    let of = |role: Role| seen.iter().filter(move |one| one.role == role);
    // Where no gateway takes conversations, nobody needs to read them.
    let is_wanted = |role: &Role| *role != Role::Conversation || are_taken(seen);
    let lacks = |role: &Role| is_wanted(role) && !of(*role).any(|one| one.ready);
    let lacking: Vec<Role> = Role::ANSWERING.into_iter().filter(lacks).collect();
    let why = |role: &Role| match of(*role).next() {
        None => format!("no {role} runs"),
        Some(one) => format!("no {role} is ready ({})", waits(one)),
    };
    if !lacking.is_empty() {
        let whys: Vec<String> = lacking.iter().map(why).collect();
        return Said::fail(
            whys.join("; "),
            "start what is missing with `argosy run ROLE`; the log of a process that is not ready says why",
        );
    }
    let waiting: Vec<String> = seen
        .iter()
        .filter(|one| !one.ready)
        .map(|one| format!("{} ({})", one.process, waits(one)))
        .collect();
    if !waiting.is_empty() {
        return Said::warn(
            format!("not ready: {}", waiting.join("; ")),
            "its log says why; others of its role do its work meanwhile",
        );
    }
    if of(Role::Indexer).next().is_none() {
        return Said::warn(
            format!("{} processes are ready, and no indexer runs", seen.len()),
            "start one with `argosy run indexer`, or documents that are published only wait",
        );
    }
    Said::ok(format!(
        "{} processes, every role is there and ready",
        seen.len()
    ))
}

fn waits(one: &ProcessStatus) -> String {
    let waits = one.waits_for.iter();
    let all: Vec<String> = waits.map(|(name, why)| format!("{name}: {why}")).collect();
    match all.is_empty() {
        true => "draining".into(),
        false => all.join(", "),
    }
}

pub(super) async fn indexes(on: &Ground<'_>) -> Checked {
    let bus = on.bus()?;
    let retrievers: Vec<&ProcessStatus> = of_retrievers(&on.seen);
    if retrievers.is_empty() {
        return Ok(caught_up(&[], &BTreeMap::new(), &Edition::main()));
    }
    let mut newest: BTreeMap<Edition, u64> = BTreeMap::new();
    for index in retrievers.iter().filter_map(|r| r.index.as_ref()) {
        if newest.contains_key(&index.edition) {
            continue;
        }
        let filter = subject::edition(&index.edition);
        let last = bus.last(Stream::Chunks, &filter).await?;
        newest.insert(index.edition.clone(), last.map_or(0, |l| l.sequence));
    }
    let record = streams::editions::read(bus).await?;
    Ok(caught_up(&retrievers, &newest, &record.editions.current))
}

fn of_retrievers(seen: &[ProcessStatus]) -> Vec<&ProcessStatus> {
    let is_one = |one: &&ProcessStatus| one.role == Role::Retriever;
    seen.iter().filter(is_one).collect()
}

fn caught_up(
    retrievers: &[&ProcessStatus],
    newest: &BTreeMap<Edition, u64>,
    current: &Edition,
) -> Said {
    if retrievers.is_empty() {
        return Said::skip("no retriever answers, see D08");
    }
    let mut late = Vec::new();
    let mut furthest = 0;
    for one in retrievers {
        let Some(index) = &one.index else {
            late.push(format!("{} has no index open yet", one.process));
            furthest = u64::MAX;
            continue;
        };
        let last = newest.get(&index.edition).copied().unwrap_or(0);
        let behind = last.saturating_sub(index.at);
        if index.edition != *current {
            late.push(format!(
                "{} searches edition `{}`, `{current}` is wanted",
                one.process, index.edition
            ));
            furthest = furthest.max(1);
        } else if behind > 0 {
            late.push(format!("{} is {behind} messages behind", one.process));
            furthest = furthest.max(behind);
        }
    }
    let fix = "wait while documents come in; else read the log of the retriever: its disk, or its connection";
    match furthest {
        0 => Said::ok(format!(
            "{} indexes of edition `{current}` have all of the corpus",
            retrievers.len()
        )),
        1..=BEHIND_WARN => Said::warn(late.join("; "), fix),
        _ => Said::fail(late.join("; "), fix),
    }
}

pub(super) async fn disks(on: &Ground<'_>) -> Checked {
    let mut disks: Vec<(String, Disk)> = on
        .seen
        .iter()
        .filter_map(|one| Some((one.process.clone(), one.disk.clone()?)))
        .collect();
    match disk::of(&on.config.data_dir.0) {
        Ok(here) => disks.push(("this machine".into(), here)),
        Err(error) => {
            let dir = on.config.data_dir.0.display();
            let text = format!("the disk of `{dir}` cannot be looked at: {error}");
            let fix = "set `data_dir` to a folder that can be written";
            return Ok(Said::fail(text, fix));
        }
    }
    Ok(tightest(&disks))
}

fn tightest(disks: &[(String, Disk)]) -> Said {
    let Some((whose, disk)) = disks.iter().min_by_key(|(_, disk)| disk.free) else {
        return Said::skip("no disk is known");
    };
    let text = format!(
        "`{}` of {whose} has {} free of {}",
        disk.dir.display(),
        bytes(disk.free),
        bytes(disk.total)
    );
    let fix = "make room there, or set `data_dir` to a larger disk; an index may be deleted while its \
               process is stopped, it is built again from the stream";
    let share = disk.free as f64 / disk.total.max(1) as f64;
    match disk.free {
        ..FREE_FAIL => Said::fail(text, fix),
        free if free < FREE_WARN || share < FREE_WARN_SHARE => Said::warn(text, fix),
        _ => Said::ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::CheckStatus;
    use super::*;
    use inspect::processes::IndexState;

    fn process(role: Role) -> ProcessStatus {
        let seen = serde_json::json!({"role": role, "process": format!("{role}-1"), "ready": true});
        serde_json::from_value(seen).unwrap()
    }

    #[test]
    fn a_role_that_is_missing_or_waits_is_named_with_what_it_waits_for() {
        let mut seen: Vec<ProcessStatus> = Role::ALL.into_iter().map(process).collect();
        assert_eq!(standing(&seen).verdict, CheckStatus::Ok);
        assert_eq!(standing(&[]).verdict, CheckStatus::Fail);
        let mut waiting = process(Role::Mapper);
        waiting.ready = false;
        waiting.waits_for = [("nats".to_owned(), "not connected".to_owned())].into();
        seen.push(waiting);
        let said = standing(&seen);
        assert_eq!(said.verdict, CheckStatus::Warn, "another mapper is ready");
        assert!(said.text.contains("nats: not connected"), "{said:?}");
        seen.retain(|one| one.role != Role::Mapper || !one.ready);
        let said = standing(&seen);
        assert_eq!(said.verdict, CheckStatus::Fail);
        assert!(said.text.contains("no mapper is ready"), "{said:?}");
        seen.retain(|one| one.role != Role::Mapper);
        assert!(standing(&seen).text.contains("no mapper runs"));
        let mut quiet: Vec<ProcessStatus> = Role::ALL.into_iter().map(process).collect();
        quiet.retain(|one| one.role != Role::Conversation);
        assert!(standing(&quiet).text.contains("no conversation runs"));
        for one in quiet.iter_mut().filter(|one| one.role == Role::Gateway) {
            one.conversations = Some(false);
        }
        assert_eq!(
            standing(&quiet).verdict,
            CheckStatus::Ok,
            "nobody takes any"
        );
        let answering: Vec<ProcessStatus> = Role::ANSWERING.into_iter().map(process).collect();
        assert_eq!(
            standing(&answering).verdict,
            CheckStatus::Warn,
            "no indexer"
        );
    }

    #[test]
    fn an_index_is_as_far_as_its_edition() {
        let main = Edition::main();
        let other = Edition::new("other").unwrap();
        let at = |edition: &Edition, at| {
            let index = Some(IndexState {
                edition: edition.clone(),
                at,
            });
            ProcessStatus {
                index,
                ..process(Role::Retriever)
            }
        };
        let newest = BTreeMap::from([(main.clone(), 20_000), (other.clone(), 5)]);
        let said = |seen: &[ProcessStatus]| caught_up(&of_retrievers(seen), &newest, &main);
        assert_eq!(said(&[]).verdict, CheckStatus::Skip);
        assert_eq!(said(&[at(&main, 20_000)]).verdict, CheckStatus::Ok);
        assert_eq!(
            said(&[at(&main, 20_000), at(&main, 19_000)]).verdict,
            CheckStatus::Warn
        );
        assert_eq!(said(&[at(&main, 1)]).verdict, CheckStatus::Fail);
        assert_eq!(said(&[at(&other, 5)]).verdict, CheckStatus::Warn);
        let closed = process(Role::Retriever);
        assert_eq!(
            said(&[at(&main, 20_000), closed]).verdict,
            CheckStatus::Fail
        );
    }

    #[test]
    fn the_tightest_disk_decides() {
        let disk = |free: u64| {
            let disk = Disk {
                dir: "/data".into(),
                free,
                total: 100 << 30,
            };
            ("retriever-1".to_owned(), disk)
        };
        assert_eq!(tightest(&[disk(50 << 30)]).verdict, CheckStatus::Ok);
        assert_eq!(
            tightest(&[disk(50 << 30), disk(4 << 30)]).verdict,
            CheckStatus::Warn,
            "under 5 %"
        );
        let full = tightest(&[disk(50 << 30), disk(1 << 20)]);
        assert_eq!(full.verdict, CheckStatus::Fail);
        assert!(full.text.contains("1.0 MiB free of 100.0 GiB"), "{full:?}");
    }
}
