//! What the configuration says to each part, in the part's own terms.

use super::Config;
use harness::topology::{Room, Topology};

impl Config {
    /// What the fleet needs of the server.
    pub fn topology(&self) -> Topology {
        let s = &self.streams;
        Topology {
            keep: s.keep.duration(),
            max_age: s.max_age.duration(),
            ack_wait: s.ack_wait.duration(),
            max_ack_pending: s.max_ack_pending,
            replicas: s.replicas,
            room: Room {
                inbox: s.inbox_bytes.bytes(),
                steps: s.steps_bytes.bytes(),
                timers: s.timers_bytes.bytes(),
                answers: s.answers_bytes.bytes(),
                documents: s.documents_bytes.bytes(),
                chunks: s.chunks_bytes.bytes(),
                dead: s.dead_bytes.bytes(),
                files: s.files_bytes.bytes(),
                snapshots: s.snapshots_bytes.bytes(),
            },
        }
    }

    /// How to reach the server; `wait` for one that is not there yet.
    pub fn nats(&self, name: &str, wait: bool) -> harness::nats::Options {
        let n = &self.nats;
        harness::nats::Options {
            url: n.url.clone(),
            name: name.into(),
            creds: n.creds.clone(),
            tls_ca: n.tls_ca.clone(),
            tls_identity: n.tls_cert.clone().zip(n.tls_key.clone()),
            request_timeout: n.request_timeout.duration(),
            wait_for_server: wait,
        }
    }

    /// How a worker runs.
    pub fn worker(&self, seed: u64) -> harness::Options {
        harness::Options {
            slots: self.run.slots as usize,
            step_timeout: self.run.step_timeout.duration(),
            ack_wait: self.streams.ack_wait.duration(),
            keep: self.streams.keep.duration(),
            grace: self.run.grace.duration(),
            quorum: self.run.quorum,
            early: self.run.early_reduce as usize,
            seed,
        }
    }

    /// How an indexer runs.
    pub fn ingest(&self, seed: u64) -> harness::ingest::Options {
        harness::ingest::Options {
            edition: self.indexer.edition.clone(),
            slots: self.indexer.slots as usize,
            timeout: self.run.step_timeout.duration(),
            ack_wait: self.streams.ack_wait.duration(),
            grace: self.run.grace.duration(),
            seed,
        }
    }

    /// How a gateway runs.
    pub fn gateway(&self, seed: u64) -> gateway::Options {
        let g = &self.gateway;
        gateway::Options {
            deadline: g.deadline.duration(),
            slots: self.run.slots as usize,
            sweep_every: g.sweep_every.duration(),
            room_every: g.room_every.duration(),
            room_limit: g.room_limit,
            tenant_turns: g.tenant_turns as usize,
            tenant_tokens_per_minute: g.tenant_tokens_per_minute,
            backlog_every: g.backlog_every.duration(),
            grace: self.run.grace.duration(),
            seed,
        }
    }
}
