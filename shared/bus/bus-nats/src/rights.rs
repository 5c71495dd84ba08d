//! What a login may do, and the subjects to which a NATS server has to admit it for that.
//!
//! *Not* here: which login has which rights, which the binary knows. And *not* a wall between the logins of one account:
//! whoever may store a message names the reply subject at which the server confirms it, and whoever may read a stream in
//! order names the subject to which the server sends it. Only accounts keep parties apart.

use bus::Stream;
use std::collections::BTreeSet;

/// One right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Right {
    /// Publishes at a subject.
    Publish(String),
    /// Hears what is published at a subject.
    Hear(String),
    /// Answers the requests that it hears, each once.
    Answer,
    /// Works through a durable consumer of a stream; a name with `*` is any consumer.
    Consume(Stream, String),
    /// Sees the size of a stream, and how far its consumers are.
    Measure(Stream),
    /// Gets single messages of a stream.
    Look(Stream),
    /// Gets all messages of a stream, in order.
    Read(Stream),
    /// Deletes messages of a stream.
    Erase(Stream),
    /// Makes and deletes the durable consumers of a stream.
    Arrange(Stream),
    /// Gets files of a store.
    GetFiles(&'static str),
    /// Stores files.
    PutFiles(&'static str),
    /// Deletes files.
    DropFiles(&'static str),
    /// Everything that is done to a fleet from outside: all its subjects and the whole of JetStream in its account.
    Everything,
}

/// The subjects to which a login is admitted.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Permissions {
    /// Where it publishes.
    pub publish: BTreeSet<String>,
    /// Where it listens.
    pub subscribe: BTreeSet<String>,
    /// Whether it answers requests wherever these want it.
    pub answers: bool,
}

impl Permissions {
    /// What a login with these rights needs. Its inboxes begin with `inbox`, and it hears those alone.
    pub fn of(rights: &[Right], inbox: &str) -> Permissions {
        let mut permissions = Permissions::default();
        permissions.subscribe.insert(format!("{inbox}.>"));
        for right in rights {
            permissions.add(right);
        }
        permissions
    }

    fn add(&mut self, right: &Right) {
        match right {
            Right::Publish(subject) => self.publish(&[subject]),
            Right::Hear(subject) => self.hear(subject),
            Right::Answer => self.answers = true,
            Right::Consume(stream, consumer) => {
                let of = format!("{}.{consumer}", stream.name());
                self.calls(&["CONSUMER.INFO", "CONSUMER.MSG.NEXT"], &of);
                // The second form is that of servers with domains.
                self.publish(&[&format!("$JS.ACK.{of}.>"), &format!("$JS.ACK.*.*.{of}.>")]);
            }
            Right::Measure(stream) => {
                self.calls(&["STREAM.INFO"], &stream.name());
                self.calls(&["CONSUMER.INFO"], &format!("{}.*", stream.name()));
            }
            Right::Look(stream) => self.look(&stream.name()),
            Right::Read(stream) => self.read(&stream.name()),
            Right::Erase(stream) => {
                self.calls(&["STREAM.MSG.DELETE", "STREAM.PURGE"], &stream.name());
            }
            Right::Arrange(stream) => {
                let of = stream.name();
                self.calls(&["CONSUMER.CREATE"], &format!("{of}.>"));
                self.calls(&["CONSUMER.INFO", "CONSUMER.DELETE"], &format!("{of}.*"));
            }
            Right::GetFiles(store) => self.read(&super::objects::stream_of(store)),
            Right::PutFiles(store) => {
                let of = super::objects::stream_of(store);
                self.read(&of);
                self.calls(&["STREAM.PURGE"], &of);
                self.publish(&[&format!("$O.{store}.>")]);
            }
            Right::DropFiles(store) => {
                let of = super::objects::stream_of(store);
                self.read(&of);
                self.calls(&["STREAM.PURGE", "STREAM.MSG.DELETE"], &of);
                self.publish(&[&format!("$O.{store}.M.>")]);
            }
            Right::Everything => {
                let all = [
                    "argosy.>",
                    "_INBOX.>",
                    "_R_.>",
                    "$JS.API.>",
                    "$JS.ACK.>",
                    "$O.>",
                ];
                self.publish(&all);
                self.publish(&["$JS.FC.>", "$SYS.REQ.USER.INFO"]);
                self.hear("argosy.>");
                self.hear("_INBOX.>");
            }
        }
    }

    fn look(&mut self, stream: &str) {
        self.calls(&["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET"], stream);
        self.calls(&["DIRECT.GET"], &format!("{stream}.>"));
    }

    fn read(&mut self, stream: &str) {
        self.look(stream);
        self.calls(&["CONSUMER.CREATE"], stream);
        self.calls(&["CONSUMER.CREATE"], &format!("{stream}.>"));
        self.calls(
            &["CONSUMER.INFO", "CONSUMER.MSG.NEXT", "CONSUMER.DELETE"],
            &format!("{stream}.*"),
        );
        self.publish(&[&format!("$JS.FC.{stream}.>")]);
    }

    fn calls(&mut self, calls: &[&str], of: &str) {
        let calls = calls.iter().map(|call| format!("$JS.API.{call}.{of}"));
        self.publish.extend(calls);
    }

    fn publish(&mut self, subjects: &[&str]) {
        self.publish
            .extend(subjects.iter().map(|s| (*s).to_owned()));
    }

    fn hear(&mut self, subject: &str) {
        self.subscribe.insert(subject.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_is_of_one_stream_alone() {
        let rights = [
            Right::Consume(Stream::Steps(0), "mapper".into()),
            Right::Look(Stream::Answers),
            Right::Hear("argosy.cancel.*".into()),
        ];
        let needed = Permissions::of(&rights, "_INBOX.UABC");
        let publish: Vec<_> = needed.publish.iter().map(String::as_str).collect();
        assert_eq!(
            publish,
            [
                "$JS.ACK.*.*.ARGOSY_STEPS_0.mapper.>",
                "$JS.ACK.ARGOSY_STEPS_0.mapper.>",
                "$JS.API.CONSUMER.INFO.ARGOSY_STEPS_0.mapper",
                "$JS.API.CONSUMER.MSG.NEXT.ARGOSY_STEPS_0.mapper",
                "$JS.API.DIRECT.GET.ARGOSY_ANSWERS",
                "$JS.API.DIRECT.GET.ARGOSY_ANSWERS.>",
                "$JS.API.STREAM.INFO.ARGOSY_ANSWERS",
                "$JS.API.STREAM.MSG.GET.ARGOSY_ANSWERS",
            ]
        );
        let subscribe: Vec<_> = needed.subscribe.iter().map(String::as_str).collect();
        assert_eq!(subscribe, ["_INBOX.UABC.>", "argosy.cancel.*"]);
        assert!(!needed.answers);
    }
}
