//! Words of a question that say nothing to a table by themselves: what a request begins with, and what leads to a condition.
//! Pure.

use super::*;

/// How far behind a participle the condition may be that it leads to, in words.
const LEAD_WORDS_MAX: usize = 3;
/// Words that a request may begin with, before its verb.
const POLITE: &str = "please kindly can could would will you i we d ll to like want need wish us let me now hi hello hey just";
/// Most words that may say nothing together.
const IDLE_WORDS_MAX: usize = 3;
/// Who does something with documents, whatever they do.
const DOING: &str =
    "we i you they us did do does have has had can could will would shall should may might must to";
/// What asks for the words of documents.
const SAYING: &str = "say says state states stated mention mentions mentioned contain contains explain explains mean means";
/// What is written about documents, and is no list of them.
const WRITING: &str = "summarize summarise explain describe define clarify analyse analyze discuss outline assess evaluate \
    translate interpret paraphrase quote recap condense digest brief characterise characterize review";

impl Reading<'_> {
    /// Whether a run is a verb that leads to a condition: `drawn up with`, `awarded to`, `that went out to`.
    pub(super) fn leads(&self, run: &Range<usize>) -> bool {
        let [word] = &self.linker.tokens[run.clone()] else {
            return false;
        };
        let before = run.start.checked_sub(1).map_or("", |at| self.word(at));
        let is_verb = word.lower.ends_with("ed")
            || word.lower.ends_with("ing")
            || is_of(before, "that which who");
        let next = run.end..self.is_taken.len().min(run.end + LEAD_WORDS_MAX);
        let is_mention = |at: &usize| self.mentions.iter().any(|mention| mention.start == *at);
        // Nothing that is not known yet stands between them.
        let mut between = next.clone().take_while(|at| !is_mention(at));
        let is_near = next.clone().any(|at| is_mention(&at));
        is_verb && !word.is_last && is_near && between.all(|at| words::is_filler(self.word(at)))
    }

    /// Whether a run says what somebody does who is named, or what documents are called anyway: `did Acme send us`, `for
    /// parts of`; or how large they are, where no column says so.
    pub(super) fn is_handled(&self, run: &Range<usize>) -> bool {
        let [word] = &self.linker.tokens[run.clone()] else {
            return false;
        };
        let before = run.start.checked_sub(1).map_or("", |at| self.word(at));
        let is_behind = self.mentions.iter().any(|mention| mention.end == run.start)
            || is_of(before, "we they you i who that which");
        let bucket = self.linker.dictionary.bucket_named(&word.lower);
        let is_bucket = bucket.is_some() && bucket == self.bucket;
        is_bucket
            || is_behind && words::is_handling(&word.lower)
            || self.needs_measure() && words::is_size(&word.lower)
    }

    /// Whether a run stands where words say what is done with a list, and not which documents are on it: before the noun and
    /// not beside it, unless a preposition leads to it; the last word behind a condition, unless it is a verb. Names and numbers are never idle. Whether it is, who has the documents knows: one word more may be what all is about.
    pub(super) fn may_be_idle(&self, run: &Range<usize>) -> bool {
        let tokens = &self.linker.tokens[run.clone()];
        let is_name = |(at, token): (usize, &QuestionToken)| {
            token.has_digit() || token.is_capital() && run.start + at > 0
        };
        let is_told =
            |token: &QuestionToken| is_of(&token.lower, WRITING) || is_of(&token.lower, SAYING);
        let Some(subject) = &self.linker.frame.subject else {
            return false;
        };
        if run.len() > IDLE_WORDS_MAX
            || tokens.iter().enumerate().any(is_name)
            || tokens.iter().any(is_told)
        {
            return false;
        }
        let before = (0..run.start)
            .rev()
            .map(|at| self.word(at))
            .find(|word| !is_of(word, "the a an our their its any some"));
        let is_first = before.is_none();
        let is_request = before.is_some_and(|word| {
            is_of(word, POLITE) || !text::stop::is_content_free(word) && words::is_filler(word)
        });
        let is_ahead = run.end < subject.start && (is_first || is_request);
        let is_behind = self.mentions.iter().any(|mention| mention.end == run.start);
        // `did Acme Pumps dispute` says which.
        let is_done = (0..run.start).any(|at| is_of(self.word(at), DOING));
        let is_end = tokens[0].is_last || run.end == self.is_taken.len();
        let is_last = run.len() == 1 && is_behind && is_end && !is_done;
        is_ahead || is_last
    }

    /// Whether a run is the verb that a request begins with: `Collate for me all the invoices`. What stands right before
    /// a noun describes it: `Overdue invoices`.
    pub(super) fn is_request(&self, run: &Range<usize>) -> bool {
        let Some(subject) = &self.linker.frame.subject else {
            return false;
        };
        let is_polite = |at: usize| {
            let word = self.word(at);
            !self.is_taken[at] && is_of(word, POLITE)
        };
        let is_first = run.len() == 1 && (0..run.start).all(is_polite);
        let mut between = run.end..subject.start.max(run.end);
        let is_told_apart = between.clone().any(|at| {
            is_of(
                self.word(at),
                "all every each any the our these those which what me us",
            )
        });
        is_first
            && is_told_apart
            && !is_of(self.word(run.start), WRITING)
            && between.all(|at| words::is_filler(self.word(at)))
    }
}

/// Where a reply to a question back asks for a list: `… - User clarified: List all of them`.
pub(super) fn asked_again(tokens: &[QuestionToken]) -> Option<usize> {
    let mut pairs = tokens.windows(2);
    let at = pairs.position(|pair| pair[0].text == "User" && pair[1].text == "clarified")?;
    let next = tokens.get(at + 2)?;
    is_of(&next.lower, "list show count give export").then_some(at + 2)
}

impl Linker<'_> {
    /// Whether the noun of a question is what documents are called, and no word of a column that describes them.
    pub(super) fn is_of_documents(&self, subject: &Range<usize>) -> bool {
        let mut tokens = self.tokens[subject.clone()].iter();
        !tokens.all(|token| {
            self.dictionary.is_column_word(&token.lower)
                && self.dictionary.bucket_named(&token.lower).is_none()
        })
    }

    /// Whether a mention became no condition.
    pub(super) fn is_dropped(&self, at: &Range<usize>, linked: &LinkedQuestion) -> bool {
        let words: Vec<&str> = self.tokens[at.clone()]
            .iter()
            .map(|token| token.text.as_str())
            .collect();
        let bare = |text: &str| {
            text.chars()
                .filter(|c| c.is_alphanumeric())
                .collect::<String>()
        };
        let said = bare(&words.concat());
        linked
            .dropped
            .iter()
            .any(|(dropped, _)| bare(dropped) == said)
    }
}
