//! Kills the processes of a fleet and its server again and again, and starts them again.

use super::locked;
use crate::driver::{DRIVER, SERVER};
use argosy::cli_error::CliError;
use argosy::fleet::{FleetPlan, Member};
use nats_server::Server;
use serde::Serialize;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::time::{Instant as Clock, sleep, sleep_until};

/// How long a server that was killed is away before it is started.
const AWAY: Duration = Duration::from_millis(500);
/// How long before the end nothing is killed any more: a process that has just been started does not drain when it is told to.
pub(crate) const CALM: Duration = Duration::from_secs(5);

/// A kill: when, in seconds since the run began, and of which process.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Kill {
    pub(super) at_s: f64,
    pub(super) process: String,
}

/// What is killed, and how often.
pub(super) struct Storm<'a> {
    pub(super) plan: FleetPlan,
    pub(super) members: &'a mut Vec<Member>,
    pub(super) server: &'a mut Server,
    pub(super) every: Option<Duration>,
    pub(super) server_every: Option<Duration>,
    pub(super) rng: fastrand::Rng,
    /// The processes as they are now, by name.
    pub(super) processes: &'a Mutex<Vec<(String, u32)>>,
    pub(super) kills: &'a Mutex<Vec<Kill>>,
    /// What ended without being killed.
    pub(super) fallen: &'a Mutex<Vec<String>>,
}

/// The process that has ended by itself, with how.
pub(super) fn fallen(member: &mut Member) -> Option<String> {
    let status = member.ended()?;
    Some(format!("the {} ended by itself: {status}", member.role))
}

/// The processes of a run, by name.
pub(super) fn processes(members: &[Member], server: &Server) -> Vec<(String, u32)> {
    let workers = members.iter();
    let workers = workers.filter_map(|one| Some((one.role.to_string(), one.pid()?)));
    let others = [(SERVER, server.pid()), (DRIVER, std::process::id())];
    let others = others.map(|(name, pid)| (name.to_owned(), pid));
    workers.chain(others).collect()
}

impl Storm<'_> {
    /// Blows for so long, and is calm at last. Every role is killed before one is killed again.
    pub(super) async fn blow(mut self, time: Duration, begun: Instant) -> Result<(), CliError> {
        let end = Clock::from_std(begun + time.saturating_sub(CALM));
        let at =
            |step: Option<Duration>, n: u32| step.map(|step| Clock::from_std(begun + step * n));
        let (mut workers, mut servers) = (1, 1);
        let mut round: Vec<usize> = Vec::new();
        loop {
            let (worker, server) = (at(self.every, workers), at(self.server_every, servers));
            let next = [worker, server].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next < end) else {
                break;
            };
            sleep_until(next).await;
            if Some(next) == server {
                servers += 1;
                self.server(begun).await?;
            } else {
                workers += 1;
                if round.is_empty() {
                    round = (0..self.members.len()).collect();
                    self.rng.shuffle(&mut round);
                }
                let place = round.pop().unwrap_or_default();
                self.member(place, begun).await?;
            }
            *locked(self.processes) = processes(self.members, self.server);
        }
        sleep_until(end + CALM).await;
        Ok(())
    }

    async fn member(&mut self, place: usize, begun: Instant) -> Result<(), CliError> {
        let role = self.members[place].role;
        if let Some(fallen) = fallen(&mut self.members[place]) {
            locked(self.fallen).push(fallen);
        }
        self.told(role.as_str(), begun);
        self.members[place].kill().await?;
        self.members[place] = self.plan.start(role, &[])?;
        Ok(())
    }

    async fn server(&mut self, begun: Instant) -> Result<(), CliError> {
        self.told(SERVER, begun);
        let failed = |error: nats_server::ServerError| CliError::negative(error.to_string());
        self.server.kill().map_err(failed)?;
        sleep(AWAY).await;
        self.server.restart().await.map_err(failed)
    }

    fn told(&self, process: &str, begun: Instant) {
        let kill = Kill {
            at_s: begun.elapsed().as_secs_f64(),
            process: process.into(),
        };
        locked(self.kills).push(kill);
    }
}
