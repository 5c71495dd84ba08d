//! Runs the synchronisation of a folder: compares the folder with what is indexed, publishes the changes and waits
//! for the results. *Not* here: how each of these steps works; see the modules `scan`, `publish` and `wait`.

use crate::error::Error;
use crate::unread::Unread;
use crate::wait::Waiting;
use crate::{publish, reach, scan};
use bus::{Bus, BusError, Stream};
use documents::{Catalog, IndexPlan, PublishMode, Skip, SkipReason, Stamp};
use envelope::document::{DocumentForm, Notice};
use envelope::{ChunkRecord, Edition, EditionError, Problem, Subject, TenantId};
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use streams::editions;

/// How long the next head may take; the last one may go while the others are read.
const NEXT_WAIT: Duration = Duration::from_secs(10);
const LAST_GONE: &str =
    "the corpus changed while it was read, or the server does not answer; try again";

/// How a folder is brought into the corpus.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is published.
    pub mode: PublishMode,
    /// The edition to publish to, which is that of the catalog.
    pub to: TargetEditions,
    /// How long there may be no result of any document before the run is given up; `None` to publish and not to
    /// wait.
    pub patience: Option<Duration>,
    /// A file that is skipped without a report, such as the configuration of the program that indexes. Default
    /// none.
    pub silent: Option<&'static str>,
    /// What could not be read before. Default nothing.
    pub unread: Unread,
}

/// The editions to which documents are published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetEditions {
    /// The edition whose results are waited for.
    pub edition: Edition,
    /// Whether documents are published for this edition alone, or for every edition.
    pub is_alone: bool,
}

impl Options {
    /// Options that wait as long as is usual, for a corpus with one edition.
    pub fn waiting(mode: PublishMode) -> Options {
        Options {
            mode,
            to: TargetEditions::default(),
            patience: Some(PATIENCE),
            silent: None,
            unread: Unread::default(),
        }
    }
}

/// How long a fleet may report no result of any document, by default: longer than one part of the work on a
/// document may take before it is tried again. A large document has many parts and an embedder may be slow, so a
/// run that is given up does not mean a failure; the fleet still indexes what was published.
pub const PATIENCE: Duration = Duration::from_secs(150);

/// What an indexing run did.
#[derive(Debug, Default, serde::Serialize)]
pub struct Summary {
    /// Documents that were indexed: added and changed.
    pub indexed: usize,
    /// Indexed documents that are new.
    pub added: usize,
    /// Indexed documents of which another version was there before.
    pub changed: usize,
    /// Documents that have not changed.
    pub unchanged: usize,
    /// Documents that were deleted.
    pub deleted: usize,
    /// Documents of which another publisher has published a newer version in the meantime.
    pub superseded: usize,
    /// Messages that were stored in the corpus stream.
    pub chunks: usize,
    /// The sequence of the corpus stream from which on all of this is included, for `--min-seq`; unknown without
    /// waiting.
    pub corpus_seq: Option<u64>,
    /// Documents that were published without waiting for their results; deleted ones count as `deleted`.
    pub published: usize,
    /// Files that could not be indexed, or not all of them, and why.
    pub skipped: Vec<SkippedFile>,
    /// How published files are read, where people may have expected something else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<SkippedFile>,
}

/// A file that could not be indexed, or not completely, or of which there is something else to say.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SkippedFile {
    /// The file, relative to the corpus.
    pub source: String,
    /// Why.
    pub reason: String,
    /// The same as a word for programs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// Whether it was read, and a part of it left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_part: bool,
    /// Whether an earlier run has told it.
    #[serde(skip)]
    pub is_known: bool,
}

impl SkippedFile {
    fn new(source: String, reason: String) -> SkippedFile {
        SkippedFile {
            source,
            reason,
            code: String::new(),
            in_part: false,
            is_known: false,
        }
    }

    /// A document that was given up, or of which that was left out.
    pub(crate) fn of(source: String, problem: Option<Problem>, in_part: bool) -> SkippedFile {
        let problem = problem.unwrap_or_else(|| Problem::new("", ""));
        SkippedFile {
            code: problem.code,
            in_part,
            ..SkippedFile::new(source, problem.message)
        }
    }
}

impl From<Skip> for SkippedFile {
    fn from(skip: Skip) -> SkippedFile {
        SkippedFile {
            code: skip.reason.as_str().to_owned(),
            in_part: matches!(skip.reason, SkipReason::Partial(_)),
            ..SkippedFile::new(skip.source, skip.reason.to_string())
        }
    }
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncProgress {
    /// This many files were looked at.
    Scanned(usize),
    /// The number of documents that are done (without waiting: published), and the number of all.
    Done(usize, usize),
}

/// The editions to publish to: the named one alone, or all of them, waiting for the current one.
pub async fn target_editions(
    bus: &dyn Bus,
    named: Option<Edition>,
) -> Result<TargetEditions, Error> {
    let editions = editions::read(bus).await?.editions;
    match named {
        None => Ok(TargetEditions {
            edition: editions.current,
            is_alone: false,
        }),
        Some(edition) if editions.has(&edition) => Ok(TargetEditions {
            edition,
            is_alone: true,
        }),
        Some(edition) => Err(editions::Error::from(EditionError::Unknown(edition)).into()),
    }
}

/// The catalog of a tenant's documents, read from the corpus stream of an edition.
pub async fn catalog_of_stream(
    bus: &dyn Bus,
    tenant: &TenantId,
    edition: &Edition,
) -> Result<Catalog, BusError> {
    let mut catalog = Catalog::new(tenant.clone());
    let filter = envelope::subject::heads(edition.as_str());
    heads(bus, &filter, |_, record| catalog.observe(&record)).await?;
    Ok(catalog)
}

/// Every head of the corpus stream that matches, with its edition.
pub(crate) async fn heads(
    bus: &dyn Bus,
    filter: &str,
    mut each: impl FnMut(Edition, ChunkRecord) + Send,
) -> Result<(), BusError> {
    // Without a head there is nothing to read, and a reader would wait for ever.
    if bus.last(Stream::Chunks, filter).await?.is_none() {
        return Ok(());
    }
    let mut reader = bus.read(Stream::Chunks, filter, 1).await?;
    loop {
        let next = tokio::time::timeout(NEXT_WAIT, reader.next()).await;
        let (message, pending) = next.map_err(|_| BusError::Away(LAST_GONE.into()))??;
        match (
            Subject::parse(&message.subject),
            ChunkRecord::decode(&message.body),
        ) {
            (Ok(Subject::Chunk { edition, .. }), Ok(record)) => each(edition, record),
            (_, decoded) => {
                let error = decoded.err().map(|e| e.to_string());
                tracing::warn!(
                    error,
                    subject = message.subject,
                    "an unreadable chunk is passed over"
                )
            }
        }
        if pending == 0 {
            return Ok(());
        }
    }
}

/// Whether a file that is passed over is named: a hidden one is not, nor is the one that is said to be `silent`.
fn is_told(skip: &Skip, silent: Option<&str>) -> bool {
    skip.reason != SkipReason::Hidden && silent != Some(skip.source.as_str())
}

/// Compares `root` with `catalog`, publishes the difference, and waits until it is indexed.
pub async fn index(
    bus: Arc<dyn Bus>,
    root: PathBuf,
    catalog: &Catalog,
    mut options: Options,
    mut progress: impl FnMut(SyncProgress) + Send,
) -> Result<Summary, Error> {
    if !root.is_dir() {
        return Err(Error::NoFolder(root));
    }
    let (tenant, unread) = (catalog.tenant().clone(), mem::take(&mut options.unread));
    let scan::Scanned {
        stamps,
        skips,
        paths,
        mut notes,
        mut unread,
    } = scan::scan(root.clone(), tenant, unread, &mut progress).await?;
    let mut plan = catalog.diff(&stamps, &skips, options.mode);
    let told = skips.into_iter();
    let told = told.filter(|skip| is_told(skip, options.silent));
    let mut skipped: Vec<SkippedFile> = told.map(SkippedFile::from).collect();
    // A wrong folder, or a share that is not mounted, must not empty a corpus.
    if stamps.is_empty() && !plan.delete.is_empty() && options.mode != PublishMode::Force {
        unread.mark(&mut skipped);
        unread.save(&root, true);
        return Err(Error::Emptied {
            root,
            there: plan.delete.len(),
            skipped,
        });
    }
    for source in &plan.kept {
        tracing::info!(source, "cannot be read now; what is indexed of it is kept");
    }
    let is_file = |stamp: &Stamp| matches!(paths.get(&stamp.source), Some((_, form)) if *form == DocumentForm::File);
    let in_part = mem::take(&mut plan.in_part);
    let (told, again) = unread.recall(in_part, &mut plan.publish, is_file);
    skipped.extend(told);
    // What is unchanged was written before. A sequence of another edition would say nothing.
    let corpus_seq = match options.patience {
        Some(_) => Some(reach::last(&*bus, &options.to.edition).await?),
        None => None,
    };
    let published = plan.publish.iter().filter_map(|stamp| {
        let reason = notes.remove(&stamp.source)?;
        Some(SkippedFile::new(stamp.source.clone(), reason))
    });
    let summary = Summary {
        unchanged: plan.unchanged - again.len(),
        corpus_seq,
        skipped,
        notes: published.collect(),
        ..Summary::default()
    };
    let total = plan.publish.len() + plan.delete.len();
    let (of, patience) = ((summary, progress), options.patience);
    let mut waiting = Waiting::listen(bus.clone(), patience, total, of).await?;
    let run = Run {
        bus: &*bus,
        root: &root,
        catalog,
        options: &options,
        paths: &paths,
        again: &again,
    };
    let ended = run.send(&plan, &mut waiting).await;
    let mut summary = waiting.summary;
    plan.publish.retain(is_file);
    unread.learn(plan.publish, &summary.skipped);
    unread.mark(&mut summary.skipped);
    unread.save(&root, ended.is_ok());
    ended.map(|()| summary)
}

/// A run that knows what to do.
struct Run<'a> {
    bus: &'a dyn Bus,
    root: &'a Path,
    catalog: &'a Catalog,
    options: &'a Options,
    paths: &'a BTreeMap<String, (PathBuf, DocumentForm)>,
    /// What is made anew though it has not changed.
    again: &'a BTreeSet<String>,
}

impl Run<'_> {
    /// Publishes, and waits for the results.
    async fn send(
        &self,
        plan: &IndexPlan,
        waiting: &mut Waiting<impl FnMut(SyncProgress) + Send>,
    ) -> Result<(), Error> {
        let (bus, to, tenant) = (self.bus, &self.options.to, self.catalog.tenant());
        for (source, entry) in &plan.delete {
            let again = plan.publish.iter().any(|stamp| &stamp.source == source);
            if publish::is_known_otherwise(tenant, source, entry) {
                publish::forget(bus, &to.edition, tenant, source, entry).await?;
                waiting.summary.deleted += usize::from(!again);
            } else {
                let gone = publish::deletion(bus, to, tenant, source, entry).await?;
                waiting.add(gone).await?;
            }
        }
        let mut reading = publish::Reading::default();
        for stamp in plan.publish.iter().cloned() {
            let known = self.catalog.get(&stamp.source);
            let path = self.paths.get(&stamp.source).cloned();
            let (path, form) =
                path.unwrap_or_else(|| (self.root.join(&stamp.source), DocumentForm::File));
            let mut notice = Notice {
                form,
                is_forced: self.options.mode == PublishMode::Force
                    || self.again.contains(&stamp.source),
                chunks: known.map_or(0, |entry| entry.chunks),
                ..Notice::new(tenant.clone(), stamp.source.as_str())
            };
            let bytes;
            (reading, bytes) = publish::read(reading, path, &notice).await?;
            match bytes {
                Ok(bytes) => {
                    notice.hash = Some(bytes.hash);
                    let sent = publish::document(bus, to, notice, bytes.bytes, &stamp).await?;
                    let was_known = known.is_some();
                    let sent = publish::Sent { was_known, ..sent };
                    waiting.add(sent).await?;
                }
                Err(reason) => {
                    let skipped = SkippedFile::new(stamp.source, reason);
                    waiting.summary.skipped.push(skipped);
                }
            }
        }
        waiting.all().await
    }
}
