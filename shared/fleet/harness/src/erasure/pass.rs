//! Makes one pass through all streams: it erases the messages that it finds, one by one, and then checks that they
//! are gone.

use crate::erasure::answers;
use crate::erasure::erase::Error;
use crate::erasure::files;
use crate::erasure::report::{ErasedCount, ErasureReport};
use crate::replay::{replay_ids, retry_id};
use bus::topology::Topology;
use bus::{Bus, BusError, CoreMessage, StoredMessage, Stream};
use conversation_log::{ConversationKey, Erasure};
use envelope::{Subject, TenantId, TurnId, UnixMs, subject};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Duration;
use streams::asked::{tenant_in, turn_of};
use streams::history;

/// The shard that every turn lives in; there is one so far.
const STEPS: Stream = Stream::Steps(0);
/// Questions that are held at once.
const BATCH: usize = 256;
/// How long the next question of the inbox may take.
const NEXT_WAIT: Duration = Duration::from_secs(5);

pub(crate) struct Pass<'a> {
    pub(crate) bus: &'a dyn Bus,
    pub(crate) topology: &'a Topology,
    pub(crate) key: &'a ConversationKey,
    /// Where the event stands that ended the log.
    pub(crate) erased_at: u64,
    pub(crate) what: &'a Erasure,
    pub(crate) report: ErasureReport,
}

/// What a question says of its conversation, whatever else may be wrong with it.
#[derive(Deserialize)]
struct Named {
    conversation: Option<String>,
    tenant: Option<String>,
}

impl Pass<'_> {
    /// Until when a worker may store a step of a turn whose deadline is the latest.
    pub(crate) fn until(topology: &Topology, deadline: UnixMs) -> UnixMs {
        deadline.plus(topology.ack_wait.as_millis())
    }

    /// Looks through everything; the inbox behind a sequence up to which that was done. Returns how far it is now.
    pub(crate) async fn run(&mut self, seen: u64) -> Result<u64, Error> {
        let mut inbox = seen;
        let mut found = BTreeSet::new();
        loop {
            let (asked, upto, is_all) = self.questions(inbox).await?;
            for (turn, question) in &asked {
                found.insert(question.sequence);
                self.turn(turn, Some(question)).await?;
                answers::tell(self.bus, self.key, self.topology, turn, question).await?;
                self.report.questions += self.erase_one(Stream::Inbox, question.sequence).await?;
            }
            inbox = upto;
            if is_all {
                break;
            }
        }
        for sequence in &self.what.inbox {
            match self.bus.message(Stream::Inbox, *sequence).await? {
                Some(question) if self.is_of_it(&question) => {
                    self.report.questions += self.erase_one(Stream::Inbox, *sequence).await?;
                }
                // Of another fleet, whose log was read back here.
                Some(_) => {}
                None if found.contains(sequence) => {}
                None => self.report.questions.gone += 1,
            }
        }
        let of_log: BTreeSet<&TurnId> = self.what.turns.iter().collect();
        for turn in of_log {
            self.turn(turn, None).await?;
        }
        // Last, so that the turns are known for as long as anything of them is left.
        self.log().await?;
        Ok(inbox)
    }

    /// Erases one message, and looks whether it is gone.
    async fn erase_one(&self, stream: Stream, sequence: u64) -> Result<ErasedCount, Error> {
        let mut count = ErasedCount::default();
        if self.bus.erase(stream, sequence).await? {
            count.erased = 1;
        } else if self.bus.message(stream, sequence).await?.is_some() {
            count.left = 1;
        }
        Ok(count)
    }

    /// The next questions of the conversation in the inbox behind a sequence, also those that were refused, or that no
    /// gateway has taken yet; up to where that is, and whether it is all.
    async fn questions(
        &self,
        seen: u64,
    ) -> Result<(Vec<(TurnId, StoredMessage)>, u64, bool), Error> {
        let mut found = Vec::new();
        let newest = self.bus.last(Stream::Inbox, subject::QUESTIONS).await?;
        let Some(newest) = newest.filter(|newest| newest.sequence > seen) else {
            return Ok((found, seen, true));
        };
        let reader = self.bus.read(Stream::Inbox, subject::QUESTIONS, seen + 1);
        let mut reader = reader.await?;
        loop {
            let Ok(next) = tokio::time::timeout(NEXT_WAIT, reader.next()).await else {
                // Another process may erase the rest at this moment.
                return Err(Error::NotRead);
            };
            let (stored, after) = next?;
            let upto = stored.sequence;
            let is_all = upto >= newest.sequence || after == 0;
            if self.is_of_it(&stored) {
                found.push((turn_of(&stored), stored));
            }
            if is_all || found.len() == BATCH {
                return Ok((found, upto, is_all));
            }
        }
    }

    fn is_of_it(&self, question: &StoredMessage) -> bool {
        let Ok(named) = serde_json::from_slice::<Named>(&question.body) else {
            return false;
        };
        let account = tenant_in(question);
        let account = account.as_ref().map(TenantId::as_str);
        let tenant = account.or(named.tenant.as_deref()).unwrap_or("default");
        named.conversation.as_deref() == Some(self.key.conversation.as_str())
            && tenant == self.key.tenant.as_str()
    }

    /// Everything of a turn, and of those that went on from its steps, and from theirs.
    async fn turn(&mut self, turn: &TurnId, question: Option<&StoredMessage>) -> Result<(), Error> {
        let mut todo = vec![(turn.clone(), question)];
        let mut seen = BTreeSet::new();
        while let Some((turn, question)) = todo.pop() {
            if !seen.insert(turn.clone())
                || !answers::is_own(self.bus, self.key, &turn, question).await?
            {
                continue;
            }
            let mut further = replay_ids(&turn);
            further.extend(self.one_turn(&turn, question).await?);
            for standing in history::turn_states(self.bus, &further).await? {
                todo.push((standing.turn, None));
            }
        }
        Ok(())
    }

    /// Everything of one turn; returns the ids of those that tried its dead letters again.
    async fn one_turn(
        &mut self,
        turn: &TurnId,
        question: Option<&StoredMessage>,
    ) -> Result<Vec<TurnId>, Error> {
        if let Some(header) = history::begun(self.bus, turn).await? {
            let until = Pass::until(self.topology, header.deadline);
            self.report.swept_until = self.report.swept_until.max(until);
        }
        if answers::cancel(self.bus, self.key, turn, question).await? {
            self.report.cancelled += 1;
            self.tell_cancelled(turn).await;
        }
        self.files(turn).await?;
        let mut retries = Vec::new();
        let letters = subject::letters(turn);
        let mut from = 1;
        while let Some(letter) = self.bus.first(Stream::Dead, &letters, from).await? {
            from = letter.sequence + 1;
            // An edition of the corpus may be called like the turn.
            if matches!(Subject::parse(&letter.subject), Ok(Subject::Dead { .. })) {
                retries.push(retry_id(&letter));
                self.report.letters += self.erase_one(Stream::Dead, letter.sequence).await?;
            }
        }
        for filter in subject::of_turn(turn) {
            self.report.steps.erased += self.erase_all(STEPS, &filter, u64::MAX).await?;
            self.report.steps.left += self.left(STEPS, &filter, u64::MAX).await?;
        }
        let consumer = self.topology.answers();
        self.report.answers += answers::replace(self.bus, self.key, &consumer, turn).await?;
        // Behind the answer: who gives feedback looks again whether there is still one.
        let filter = subject::feedback_on(&self.key.tenant, turn);
        let stream = Stream::Feedback;
        self.report.feedback.erased += self.erase_all(stream, &filter, u64::MAX).await?;
        self.report.feedback.left += self.left(stream, &filter, u64::MAX).await?;
        Ok(retries)
    }

    /// Deletes the files of a turn, before the messages that name them: the next call finds those that could not be.
    async fn files(&mut self, turn: &TurnId) -> Result<(), BusError> {
        let mut keys = BTreeSet::new();
        let letters = subject::letters(turn);
        self.name_files(Stream::Dead, &letters, turn, &mut keys)
            .await?;
        for filter in subject::of_turn(turn) {
            self.name_files(STEPS, &filter, turn, &mut keys).await?;
        }
        let answer = subject::answer(turn);
        self.name_files(Stream::Answers, &answer, turn, &mut keys)
            .await?;
        for key in keys {
            self.bus.delete_file(&key).await?;
            self.report.files.erased += 1;
        }
        Ok(())
    }

    /// Finds the files that messages name.
    async fn name_files(
        &self,
        stream: Stream,
        filter: &str,
        turn: &TurnId,
        keys: &mut BTreeSet<String>,
    ) -> Result<(), BusError> {
        let mut from = 1;
        while let Some(stored) = self.bus.first(stream, filter, from).await? {
            from = stored.sequence + 1;
            files::named(&stored.body, turn, keys);
        }
        Ok(())
    }

    async fn log(&mut self) -> Result<(), Error> {
        let log = streams::conversation::subject(self.key);
        let stream = Stream::Conversations;
        self.report.log.erased += self.erase_all(stream, &log, self.erased_at).await?;
        self.report.log.left += self.left(stream, &log, self.erased_at).await?;
        Ok(())
    }

    /// Erases what matches and is before a sequence; returns how many messages that were.
    async fn erase_all(&self, stream: Stream, filter: &str, before: u64) -> Result<u64, BusError> {
        let (mut erased, mut from) = (0, 1);
        while let Some(stored) = self.bus.first(stream, filter, from).await? {
            if stored.sequence >= before {
                break;
            }
            erased += u64::from(self.bus.erase(stream, stored.sequence).await?);
            from = stored.sequence + 1;
        }
        Ok(erased)
    }

    /// Whether anything that matches is before a sequence: 1 or 0.
    async fn left(&self, stream: Stream, filter: &str, before: u64) -> Result<u64, BusError> {
        let first = self.bus.first(stream, filter, 1).await?;
        Ok(first.is_some_and(|first| first.sequence < before).into())
    }

    /// Word to the workers: it only spares the fleet the work.
    async fn tell_cancelled(&self, turn: &TurnId) {
        let word = Subject::Cancel { turn: turn.clone() };
        let _ = self.bus.broadcast(CoreMessage::new(word, "")).await;
    }
}
