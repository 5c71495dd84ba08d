//! Words that say how what is named belongs to the documents: `bills for stuff bought from Acme`. What is counted or added up
//! does not change by them, as long as they lead to a name or a day that became a condition. Pure.

use super::leading::WRITING;
use super::*;

/// Most words of one run.
const WORDS_MAX: usize = 3;
/// How far behind it what it leads to may begin, in words.
const NEAR: usize = 3;
/// What is said of, is a topic, and tells documents apart.
pub(super) const TOPIC: &str = "about say says said saying state states mention mentions mentioned mentioning contain contains \
    containing discuss discusses discussing describe describes explain explains regarding concerning topic topics dispute \
    disputes disputed claim claims refuse refused reject rejected cancel cancelled unpaid overdue";

impl Reading<'_> {
    /// Whether a run leads from the documents, or from another name, to a name or a day, and a number over documents is asked
    /// for. Such a number is made of columns or of nothing: no search counts. Names, numbers, topics, and what stands right before
    /// the noun are left alone.
    pub(super) fn relates(&self, run: &Range<usize>) -> bool {
        let Some(subject) = &self.linker.frame.subject else {
            return false;
        };
        let tokens = &self.linker.tokens[run.clone()];
        let is_telling = |token: &QuestionToken| {
            token.has_digit()
                || token.is_capital()
                || is_of(&token.lower, TOPIC)
                || is_of(&token.lower, WRITING)
        };
        let is_number = self
            .operation
            .is_some_and(|one| one != ColumnOperation::List)
            || self.table.group.is_some();
        if !is_number || run.len() > WORDS_MAX || tokens.iter().any(is_telling) {
            return false;
        }
        let is_open = |at: usize| !self.linker.tokens[at].is_last;
        let near = run.end..self.is_taken.len().min(run.end + NEAR + 1);
        let noun = self.noun_start(subject);
        let starts = |at: usize| {
            let is_subject = noun == at && at > run.end;
            is_subject || self.mentions.iter().any(|mention| mention.start == at)
        };
        let mut led = near.take_while(|at| *at == run.end || words::is_filler(self.word(*at - 1)));
        self.joining(run).is_none()
            && (is_open(run.end - 1) && led.any(starts) || self.is_in_clause(run))
    }

    /// Whether a run ends a clause about what is named in it: `that Acme has on the wall`, `saying that ISO 9001 is met`.
    fn is_in_clause(&self, run: &Range<usize>) -> bool {
        let mut mentions = self.mentions.iter();
        mentions.any(|mention| {
            let is_before = mention.end <= run.start;
            let begins = (mention.start.saturating_sub(NEAR)..mention.start)
                .any(|at| is_of(self.word(at), "that which where who whom whose"));
            let mut between = mention.end..run.start;
            let is_near = between.len() <= NEAR
                && between.all(|at| words::is_filler(self.word(at)) || self.is_taken[at]);
            is_before && begins && is_near
        })
    }

    /// Where the noun begins with all that it is called.
    fn noun_start(&self, subject: &Range<usize>) -> usize {
        let before = (0..subject.start).rev();
        let called = before.take_while(|at| self.is_of_name(*at..*at + 1));
        called.last().unwrap_or(subject.start)
    }

    /// Whether a run before the noun is a part of what documents are called: `part info sheets`.
    pub(super) fn is_of_bucket(&self, run: &Range<usize>) -> bool {
        let subject = self.linker.frame.subject.as_ref();
        subject.is_some_and(|subject| run.end == subject.start) && self.is_of_name(run.clone())
    }

    /// Whether words are of the name of the part of the corpus.
    fn is_of_name(&self, run: Range<usize>) -> bool {
        let Some(bucket) = self.bucket else {
            return false;
        };
        let called: Vec<String> = bucket
            .split(|c: char| !c.is_alphanumeric())
            .map(|word| fold::singular(&word.to_lowercase()))
            .collect();
        let mut words = run.map(|at| fold::singular(self.word(at)));
        words.all(|word| called.contains(&word))
    }
}
