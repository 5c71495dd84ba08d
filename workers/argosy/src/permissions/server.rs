//! The configuration of a NATS server that several parties share, as its configuration file has it: one account for the
//! fleet, one for each tenant. *Not* here: everything else of the file, such as ports, TLS and JetStream's folder.

use super::LOOK_UPS;
use bus_nats::Permissions;
use envelope::{Subject, TenantId, subject};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::{self, Display};

/// The account of the fleet.
const ACCOUNT: &str = "ARGOSY";
/// How long the server remembers where the answer of a request goes: the longest deadline, and a little more.
const ANSWERED_WITHIN: &str = "65m";
/// How long a login may take to answer a request.
const RESPONDS_WITHIN: &str = "1m";

/// A user: its name for people, its public key, and what it may do.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct User {
    pub(crate) login: String,
    pub(crate) nkey: String,
    #[serde(flatten)]
    pub(crate) permissions: Permissions,
}

/// A tenant, and the public key of its login.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Tenant {
    pub(crate) tenant: TenantId,
    pub(crate) nkey: String,
}

/// Everybody on the server.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Parties {
    pub(crate) users: Vec<User>,
    pub(crate) tenants: Vec<Tenant>,
}

/// What a tenant's account publishes into that of the fleet: the subject there has the tenant, the subject in its own
/// account is the same as on a server without accounts.
fn services(tenant: &TenantId) -> Vec<(String, &'static str)> {
    let query = Subject::TenantQuery {
        tenant: tenant.clone(),
    };
    let query = (query.to_string(), subject::QUERY);
    let asked = [subject::ASK].into_iter().chain(LOOK_UPS);
    let asked = asked.map(|of| (format!("{of}.{tenant}"), of));
    [query].into_iter().chain(asked).collect()
}

/// What reaches a tenant's account: answers, and what is told while a turn runs.
const HEARD: [&str; 3] = ["_INBOX.>", "argosy.reply.>", "argosy.live.*"];

impl Display for Parties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "accounts {{\n  {ACCOUNT} {{\n    jetstream: enabled\n    users: ["
        )?;
        for user in &self.users {
            user.fmt(f)?;
        }
        writeln!(f, "    ]\n    exports: [")?;
        for Tenant { tenant, .. } in &self.tenants {
            let to = format!("accounts: [\"{}\"]", account(tenant));
            for (service, _) in services(tenant) {
                writeln!(
                    f,
                    "      {{service: \"{service}\", response_threshold: \"{ANSWERED_WITHIN}\", {to}}}"
                )?;
            }
            let all = subject::to_tenant(tenant, ">");
            writeln!(f, "      {{stream: \"{all}\", {to}}}")?;
        }
        writeln!(f, "    ]\n  }}")?;
        for tenant in &self.tenants {
            tenant.fmt(f)?;
        }
        writeln!(f, "}}")
    }
}

impl Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Permissions {
            publish,
            subscribe,
            answers,
        } = &self.permissions;
        writeln!(
            f,
            "      {{ # {}\n        nkey: \"{}\"",
            self.login, self.nkey
        )?;
        writeln!(f, "        permissions: {{")?;
        list(f, "publish", publish)?;
        list(f, "subscribe", subscribe)?;
        if *answers {
            writeln!(
                f,
                "          allow_responses: {{max: 1, expires: \"{RESPONDS_WITHIN}\"}}"
            )?;
        }
        writeln!(f, "        }}\n      }}")
    }
}

impl Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tenant { tenant, nkey } = self;
        writeln!(
            f,
            "  \"{}\" {{\n    users: [{{nkey: \"{nkey}\"}}]",
            account(tenant)
        )?;
        writeln!(f, "    imports: [")?;
        let from = |subject: &str| format!("{{account: {ACCOUNT}, subject: \"{subject}\"}}");
        for (service, here) in services(tenant) {
            writeln!(f, "      {{service: {}, to: \"{here}\"}}", from(&service))?;
        }
        for here in HEARD {
            let there = from(&subject::to_tenant(tenant, here));
            writeln!(f, "      {{stream: {there}, to: \"{here}\"}}")?;
        }
        writeln!(f, "    ]\n  }}")
    }
}

fn account(tenant: &TenantId) -> String {
    format!("tenant-{tenant}")
}

fn list(f: &mut fmt::Formatter<'_>, verb: &str, subjects: &BTreeSet<String>) -> fmt::Result {
    writeln!(f, "          {verb}: {{allow: [")?;
    for subject in subjects {
        writeln!(f, "            \"{subject}\"")?;
    }
    writeln!(f, "          ]}}")
}
