//! Remembers which files of a folder could not be read, or not all of them: while such a file is as it was, it is not
//! read again, and what is said of it was said before.
//!
//! What takes too much time or memory may do so because the machine is busy, and is tried again, though not for ever.
//! What cannot be opened, and what no reader takes, is looked at each time, which costs nothing. What readers with other
//! options made of a file is remembered beside it. *Not* here: files that were read without any fault, and what is left
//! out of a document that is indexed, which its head says: here is who has read that.

use crate::SkippedFile;
use documents::{Skip, Stamp};
use envelope::Problem;
use envelope::document::DocumentForm;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How often a file that takes too much is tried.
pub const TRIES_MAX: u32 = 2;
/// Most documents of a file that are remembered; a file with more is read again.
const STAMPS_MAX: usize = 10_000;
/// Of how many readers it is remembered what they made of a file, the last ones.
const READERS_MAX: usize = 4;
/// What is so for as long as the file is as it is, by the words of [`documents::SkipReason`].
const SETTLED: [&str; 11] = [
    "binary",
    "empty",
    "encrypted",
    "no_text",
    "broken",
    "inflates",
    "bad_line",
    "entry",
    "partial",
    "over_limits",
    "program_failed",
];
/// What may be otherwise the next time: the machine was busy, or text recognition is installed by then.
const PASSING: [&str; 3] = ["over_limits", "no_text", "program_failed"];

/// A document of a file, with the form in which it is published; or what was left out of it.
pub(super) type Found = Result<(Stamp, DocumentForm), Skip>;

/// What is remembered of each file, by its readers; those of the last run come first.
type Kept = BTreeMap<String, Vec<Known>>;

/// The files of a folder that could not be read. The default remembers nothing.
#[derive(Debug, Clone, Default)]
pub struct Unread {
    file: Option<PathBuf>,
    /// What reads now: others may do better.
    readers: String,
    tries_max: Option<u32>,
    before: Kept,
    now: BTreeMap<String, Known>,
    /// How each file was before its bytes were read.
    states: BTreeMap<String, State>,
    told: BTreeSet<(String, String)>,
}

/// How a file is, without its bytes. Who repairs a file may leave its size and its time as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    bytes: u64,
    inode: u64,
    /// When its bytes were changed, and when anything of it was: seconds and nanoseconds.
    changed: [i64; 4],
}

impl State {
    fn of(path: &Path) -> Option<State> {
        let of = std::fs::metadata(path).ok()?;
        Some(State {
            bytes: of.len(),
            inode: of.ino(),
            changed: [of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec()],
        })
    }
}

/// A file that could not be read, or not all of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Known {
    readers: String,
    /// How it was, if it need not be read again while it is so.
    state: Option<State>,
    tries: u32,
    documents: Vec<(Stamp, DocumentForm)>,
    skips: Vec<Skip>,
    /// Why its document was given up when it was indexed, or what was left out of it.
    problem: Option<Problem>,
    /// Whether it is indexed but for that.
    in_part: bool,
    is_told: bool,
}

impl Known {
    fn codes(&self) -> impl Iterator<Item = &str> {
        let problem = self.problem.iter().map(|problem| problem.code.as_str());
        self.skips
            .iter()
            .map(|skip| skip.reason.as_str())
            .chain(problem)
    }

    /// Has the file read again the next time.
    fn outdate(&mut self) {
        (self.state, self.documents) = (None, Vec::new());
    }
}

impl Unread {
    /// Opens what `file` remembers of these readers. What takes too much is tried so often; `None` to try everything.
    pub fn open(file: PathBuf, readers: String, tries_max: Option<u32>) -> Unread {
        let kept = std::fs::read(&file).ok();
        let before: Kept = kept
            .and_then(|json| serde_json::from_slice(&json).ok())
            .unwrap_or_default();
        let mut told = BTreeSet::new();
        for (source, known) in before
            .iter()
            .flat_map(|(s, all)| all.iter().map(move |k| (s, k)))
        {
            if known.readers == readers && known.is_told {
                let skips = known.skips.iter();
                told.extend(skips.map(|skip| (skip.source.clone(), skip.reason.to_string())));
                let problem = known.problem.iter();
                told.extend(problem.map(|problem| (source.clone(), problem.message.clone())));
            }
        }
        Unread {
            file: Some(file),
            tries_max,
            told,
            before,
            readers,
            ..Unread::default()
        }
    }

    /// What a file has that need not be read again. Has to be asked before its bytes are read: what comes of them is
    /// remembered of the file as it is now.
    pub(super) fn found(&mut self, path: &Path, source: &str) -> Option<Vec<Found>> {
        let state = State::of(path)?;
        self.states.insert(source.to_owned(), state);
        let known = self.known(source)?;
        let documents = known.documents.iter().cloned().map(Ok);
        Some(
            documents
                .chain(known.skips.iter().cloned().map(Err))
                .collect(),
        )
    }

    fn known(&self, source: &str) -> Option<&Known> {
        let known = self.same(source)?;
        let may_pass = known.codes().any(|code| PASSING.contains(&code));
        (known.tries >= self.tries_max? || !may_pass).then_some(known)
    }

    /// What these readers made of the file as it is.
    fn same(&self, source: &str) -> Option<&Known> {
        let state = self.states.get(source)?;
        let all = self.before.get(source)?.iter();
        let mut own = all.filter(|known| known.readers == self.readers);
        own.find(|known| known.state.as_ref() == Some(state))
    }

    /// Takes in what a file was found to have.
    pub(super) fn take(&mut self, source: &str, found: Vec<Found>) {
        if let Some(known) = self.known(source).cloned() {
            self.now.insert(source.to_owned(), known);
            return;
        }
        if found.iter().all(Result::is_ok) {
            return;
        }
        let mut known = Known::default();
        for one in found {
            match one {
                Ok(document) => known.documents.push(document),
                Err(skip) => known.skips.push(skip),
            }
        }
        self.remember(source, known);
    }

    /// What is told again of documents. What was given up is not published again; what is indexed in part is, where these
    /// readers may have more of it: those are named. What is a part of a file is not read alone.
    pub(super) fn recall(
        &self,
        in_part: Vec<(Stamp, Problem)>,
        publish: &mut Vec<Stamp>,
        is_file: impl Fn(&Stamp) -> bool,
    ) -> (Vec<SkippedFile>, BTreeSet<String>) {
        let (mut told, mut again) = (Vec::new(), BTreeSet::new());
        publish.retain(|stamp| {
            let known = self.now.get(&stamp.source);
            let given_up = known.filter(|known| !known.in_part);
            let why = given_up.and_then(|known| known.problem.clone());
            let is_sent = why.is_none();
            told.extend(why.map(|why| SkippedFile::of(stamp.source.clone(), Some(why), false)));
            is_sent
        });
        for (stamp, why) in in_part {
            let is_file = is_file(&stamp);
            if self.file.is_some() && is_file && !self.now.contains_key(&stamp.source) {
                again.insert(stamp.source.clone());
                publish.push(stamp);
            } else {
                let one = SkippedFile::of(stamp.source, Some(why), true);
                let is_known = !is_file;
                told.push(SkippedFile { is_known, ..one });
            }
        }
        (told, again)
    }

    /// Takes in what came of the documents of these files.
    pub(super) fn learn(&mut self, sent: Vec<Stamp>, skipped: &[SkippedFile]) {
        let told = skipped.iter().map(|one| (one.source.as_str(), one));
        let told: BTreeMap<&str, &SkippedFile> = told.collect();
        for stamp in sent {
            if let Some(one) = told.get(stamp.source.as_str()) {
                let problem = Problem::new(&one.code, &one.reason);
                self.give_up(stamp, problem, one.in_part);
            }
        }
    }

    /// Takes in why the document of a file was given up, or what was left out of it.
    fn give_up(&mut self, stamp: Stamp, problem: Problem, in_part: bool) {
        let source = stamp.source.clone();
        let known = Known {
            documents: vec![(stamp, DocumentForm::File)],
            problem: Some(problem),
            in_part,
            ..Known::default()
        };
        self.remember(&source, known);
    }

    fn remember(&mut self, source: &str, mut known: Known) {
        let tries = self.same(source).map_or(0, |before| before.tries);
        known.tries = tries.saturating_add(1);
        known.readers.clone_from(&self.readers);
        known.state = self.states.get(source).copied();
        let is_settled = known.in_part || known.codes().all(|code| SETTLED.contains(&code));
        if !is_settled || known.documents.len() > STAMPS_MAX {
            known.outdate();
        }
        self.now.insert(source.to_owned(), known);
    }

    /// Marks what was told before.
    pub(super) fn mark(&self, skipped: &mut [SkippedFile]) {
        for one in skipped {
            let said = (one.source.clone(), one.reason.clone());
            one.is_known |= self.told.contains(&said);
        }
    }

    /// Keeps it for the next time, of each file that is still as it was before it was read. What a run that fails did not
    /// tell is told by the next.
    pub(super) fn save(self, root: &Path, is_told: bool) {
        let Some(file) = self.file else { return };
        let (states, mut kept) = (self.states, self.before);
        kept.retain(|source, all| {
            let state = states.get(source);
            let is_other = |known: &Known| known.readers != self.readers;
            all.retain(|known| is_other(known) && state.is_some() && known.state.as_ref() == state);
            !all.is_empty()
        });
        for (source, mut known) in self.now {
            known.is_told |= is_told;
            kept.entry(source).or_default().insert(0, known);
        }
        for (source, all) in &mut kept {
            all.truncate(READERS_MAX);
            if State::of(&root.join(source)).as_ref() != states.get(source) {
                all.iter_mut().for_each(Known::outdate);
            }
        }
        let kept = serde_json::to_vec(&kept).map_err(std::io::Error::from);
        if let Err(error) = kept.and_then(|json| std::fs::write(&file, json)) {
            tracing::warn!(%error, file = %file.display(), "what was not read is not remembered");
        }
    }
}

#[cfg(test)]
#[path = "unread_tests.rs"]
mod tests;
