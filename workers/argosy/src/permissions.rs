//! Who may do what on the NATS server of a fleet: the logins of the fleet's own account with their rights, and the
//! accounts of its tenants. Pure.
//!
//! The rights of a login are those that its code uses; `tests/pipeline/accounts.rs` runs a fleet under them. *Not* here:
//! the subjects that a right needs (`bus_nats::Right`), and keys (`command::permissions`).
//!
//! | module | what |
//! |---|---|
//! | `server` | the configuration of a NATS server |

mod server;

pub(crate) use server::{Parties, Tenant, User};

use bus::Stream;
use bus::topology::{FILES, SNAPSHOTS, Topology};
use bus_nats::Right;
use envelope::{Editions, Role, subject};
use std::fmt::{self, Display};

/// A login of the fleet's own account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Login {
    /// The processes of a role.
    Role(Role),
    /// The doors.
    Door,
    /// Whoever brings documents in: `argosy index`.
    Writer,
    /// Whoever looks after the fleet: `argosy setup`, `doctor`, `trace` and all other commands.
    Operator,
}

impl Display for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Login::Role(role) => role.fmt(f),
            Login::Door => f.write_str("door"),
            Login::Writer => f.write_str("writer"),
            Login::Operator => f.write_str("operator"),
        }
    }
}

impl Login {
    /// Every login.
    pub(crate) fn all() -> impl Iterator<Item = Login> {
        let others = [Login::Door, Login::Writer, Login::Operator];
        Role::ALL.into_iter().map(Login::Role).chain(others)
    }

    /// Its rights.
    pub(crate) fn rights(self) -> Vec<Right> {
        match self {
            Login::Role(role) => {
                let mut rights = of_process();
                rights.extend(match role {
                    Role::Gateway => gateway(),
                    Role::Indexer => indexer(),
                    thinking => thinks(thinking),
                });
                rights
            }
            Login::Door => door(),
            Login::Writer => writer(),
            Login::Operator => vec![Right::Everything],
        }
    }
}

fn publish<const N: usize>(subjects: [&str; N]) -> impl Iterator<Item = Right> {
    subjects
        .map(|subject| Right::Publish(subject.into()))
        .into_iter()
}

fn hear<const N: usize>(subjects: [&str; N]) -> impl Iterator<Item = Right> {
    subjects
        .map(|subject| Right::Hear(subject.into()))
        .into_iter()
}

/// Reports on itself.
fn of_process() -> Vec<Right> {
    let report = hear([inspect::processes::SUBJECT]);
    report.chain([Right::Answer]).collect()
}

/// Takes steps, and does what follows from them.
fn thinks(role: Role) -> Vec<Right> {
    let mut rights = vec![
        Right::Consume(Stream::Steps(0), role.to_string()),
        Right::Look(Stream::Steps(0)),
        Right::Look(Stream::Timers),
        Right::Look(Stream::Answers),
    ];
    rights.extend(hear(["argosy.cancel.*"]));
    rights.extend(publish([
        "argosy.step.>",
        "argosy.timer.>",
        "argosy.answer.*",
        "argosy.live.*",
        "argosy.to.*.argosy.live.*",
        &subject::dead_of(role),
    ]));
    rights.extend(match role {
        Role::Conversation => vec![Right::Read(Stream::Conversations)],
        Role::Planner => publish([subject::CATALOG]).collect(),
        Role::Retriever => searches(),
        Role::Mapper => {
            let joins = hear(["argosy.joined.*.*"]);
            let parts = publish(["argosy.part.>", "argosy.joined.*.*"]);
            joins.chain(parts).collect()
        }
        _ => Vec::new(),
    });
    rights
}

/// Keeps an index, and answers look-ups.
fn searches() -> Vec<Right> {
    let mut rights = vec![
        Right::Read(Stream::Chunks),
        Right::PutFiles(SNAPSHOTS),
        Right::PutFiles(FILES),
    ];
    rights.extend(publish([subject::SNAPSHOTS]));
    for asked in LOOK_UPS {
        rights.extend(hear([asked, &subject::of_tenants(asked)]));
    }
    rights
}

/// The subjects of look-ups in the corpus.
const LOOK_UPS: [&str; 4] = [
    subject::SEARCH,
    subject::COUNT,
    subject::METADATA,
    subject::CATALOG,
];

fn gateway() -> Vec<Right> {
    let own = Topology::default().consumers_of(Role::Gateway, &Editions::default());
    let consumes = own.into_iter();
    let consumes = consumes.map(|consumer| Right::Consume(consumer.stream, consumer.name));
    let mut rights: Vec<Right> = consumes.collect();
    rights.extend(Stream::ALL.map(Right::Measure));
    rights.push(Right::Look(Stream::Chunks));
    rights.extend(erases());
    rights.extend(hear(["argosy.answer.*", subject::ASK]));
    rights.extend(hear([&*subject::of_tenants(subject::ASK)]));
    rights.extend(publish([
        subject::QUERY,
        subject::TENANT_QUERIES,
        "argosy.listen.>",
        "argosy.reply.>",
        "argosy.to.>",
        "_INBOX.>",
        "_R_.>",
        &subject::dead_of(Role::Gateway),
    ]));
    rights
}

/// Begins and ends turns of conversations, and erases conversations.
fn erases() -> Vec<Right> {
    const OF_TURNS: [Stream; 7] = [
        Stream::Inbox,
        Stream::Steps(0),
        Stream::Timers,
        Stream::Answers,
        Stream::Conversations,
        Stream::Feedback,
        Stream::Dead,
    ];
    let mut rights: Vec<Right> = OF_TURNS.map(Right::Read).into();
    rights.extend(OF_TURNS.map(Right::Erase));
    rights.extend([
        Right::Measure(Stream::Inbox),
        Right::Measure(Stream::Answers),
    ]);
    rights.push(Right::DropFiles(FILES));
    rights.extend(hear(["argosy.cancel.*"]));
    rights.extend(publish([
        "argosy.step.>",
        "argosy.timer.>",
        "argosy.sweep.>",
        "argosy.answer.*",
        "argosy.clarified.*",
        "argosy.cancel.*",
        subject::CONVERSATIONS,
    ]));
    rights
}

fn indexer() -> Vec<Right> {
    let mut rights = vec![
        Right::Consume(Stream::Documents, "*".into()),
        Right::Look(Stream::Documents),
        Right::Read(Stream::Chunks),
        Right::GetFiles(FILES),
        Right::DropFiles(FILES),
    ];
    rights.extend(publish([
        subject::CHUNKS,
        "argosy.indexed.*.*",
        &subject::dead_of(Role::Indexer),
    ]));
    rights
}

/// Brings documents in.
fn writer() -> Vec<Right> {
    let mut rights = vec![
        Right::Read(Stream::Chunks),
        Right::Look(Stream::Documents),
        Right::Measure(Stream::Documents),
        Right::Look(Stream::Dead),
        Right::PutFiles(FILES),
        Right::DropFiles(FILES),
    ];
    rights.extend(hear(["argosy.indexed.*.*"]));
    rights.extend(publish([
        subject::DOCUMENTS,
        subject::REINDEX,
        inspect::processes::SUBJECT,
    ]));
    rights
}

/// A client of the fleet for all tenants: it asks, cancels, brings documents in, and erases. Its webhooks have consumers
/// of their own.
fn door() -> Vec<Right> {
    let mut rights = writer();
    rights.extend(erases());
    rights.extend(Stream::ALL.map(Right::Measure));
    rights.extend([
        Right::Arrange(Stream::Answers),
        Right::Consume(Stream::Answers, "*".into()),
    ]);
    rights.extend(LOOK_UPS.map(|asked| Right::Publish(asked.into())));
    rights.extend(hear(["argosy.live.*", "argosy.reply.>"]));
    rights.extend(publish([
        subject::QUERY,
        subject::FEEDBACK,
        "argosy.dead.webhook.>",
    ]));
    rights
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus_nats::Permissions;

    /// Whether every subject of `inner` is one of `outer`.
    fn covers(outer: &str, inner: &str) -> bool {
        let (mut outer, mut inner) = (outer.split('.'), inner.split('.'));
        loop {
            match (outer.next(), inner.next()) {
                (Some(">"), Some(_)) | (None, None) => return true,
                (Some("*"), Some(token)) if token != ">" => {}
                (Some(a), Some(b)) if a == b => {}
                _ => return false,
            }
        }
    }

    fn of(login: Login) -> Permissions {
        Permissions::of(&login.rights(), "_INBOX.U")
    }

    /// What a login may do, as `verb subject`, that nobody but these may.
    #[test]
    fn nobody_may_do_what_is_for_others() {
        let may = |login: Login, subject: &str| {
            let all = of(login);
            all.publish.iter().any(|allowed| covers(allowed, subject))
        };
        let who = |subject: &str| -> Vec<String> {
            let all = Login::all().filter(|login| may(*login, subject));
            all.map(|login| login.to_string()).collect()
        };
        for (subject, allowed) in [
            ("argosy.chunk.main.b.d.0", vec!["indexer", "operator"]),
            ("argosy.edition", vec!["operator"]),
            ("argosy.query.acme.ask", vec!["gateway", "operator"]),
            ("argosy.query", vec!["gateway", "door", "operator"]),
            ("argosy.document.b.d", vec!["door", "writer", "operator"]),
            (
                "argosy.conversation.t.c",
                vec!["gateway", "door", "operator"],
            ),
            ("argosy.to.acme._INBOX.1", vec!["gateway", "operator"]),
            ("_INBOX.other.1", vec!["gateway", "operator"]),
            ("$JS.API.STREAM.DELETE.ARGOSY_ANSWERS", vec!["operator"]),
            ("$JS.API.STREAM.UPDATE.ARGOSY_INBOX", vec!["operator"]),
            ("$JS.API.STREAM.CREATE.OTHER", vec!["operator"]),
            (
                "$JS.API.CONSUMER.MSG.NEXT.ARGOSY_STEPS_0.mapper",
                vec!["mapper", "gateway", "door", "operator"],
            ),
            (
                "$JS.API.STREAM.MSG.DELETE.ARGOSY_ANSWERS",
                vec!["gateway", "door", "operator"],
            ),
            ("$SYS.REQ.SERVER.PING", vec![]),
        ] {
            assert_eq!(who(subject), allowed, "{subject}");
        }
    }

    #[test]
    fn everybody_hears_its_own_inboxes_alone() {
        for login in Login::all().filter(|login| *login != Login::Operator) {
            let heard = of(login).subscribe;
            let inboxes: Vec<_> = heard.iter().filter(|s| s.starts_with("_INBOX")).collect();
            assert_eq!(inboxes, ["_INBOX.U.>"], "{login}");
            assert!(
                !heard.iter().any(|s| s == ">" || s == "argosy.>"),
                "{login}"
            );
        }
    }
}
