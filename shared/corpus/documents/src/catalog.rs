//! Compares the indexed documents with the files on disk, and plans an indexing run. Pure.
//!
//! Its input is the heads of one tenant's documents, from the corpus stream or from a local index of it. Making the
//! plan changes nothing.

use crate::document::Stamp;
use crate::reader::{Skip, SkipReason};
use envelope::{Bucket, ChunkRecord, DocId, Problem, TenantId};
use std::collections::{BTreeMap, BTreeSet};

/// The indexed documents of one tenant, by source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    tenant: TenantId,
    entries: BTreeMap<String, Entry>,
}

/// One indexed document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Part of the corpus.
    pub bucket: Bucket,
    /// The document.
    pub doc_id: DocId,
    /// SHA-256 of the bytes that were indexed, in hex.
    pub hash: String,
    /// How many chunks it has.
    pub chunks: u32,
    /// The pipeline that made it; empty where that is unknown.
    pub pipeline: String,
    /// What was left out of it.
    pub left_out: Option<Problem>,
}

/// What an indexing run publishes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PublishMode {
    /// What is new or has changed.
    #[default]
    Incremental,
    /// Everything, as after a change of the chunker.
    Force,
}

/// What an indexing run has to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexPlan {
    /// Documents to read and publish, by source.
    pub publish: Vec<Stamp>,
    /// Documents to delete: source and what is indexed of it.
    pub delete: Vec<(String, Entry)>,
    /// How many documents stay as they are.
    pub unchanged: usize,
    /// Those of them that were read in part, and what was left out.
    pub in_part: Vec<(Stamp, Problem)>,
    /// Sources that are indexed and could not be read now: neither changed nor deleted.
    pub kept: Vec<String>,
}

impl Catalog {
    /// Nothing indexed.
    pub fn new(tenant: TenantId) -> Catalog {
        Catalog {
            tenant,
            entries: BTreeMap::new(),
        }
    }

    /// Takes in one record, in the order of the stream. Records of other tenants, and chunks that are no heads, are
    /// skipped.
    pub fn observe(&mut self, record: &ChunkRecord) {
        if !record.is_head() || record.tenant != self.tenant {
            return;
        }
        if record.deleted {
            let same =
                |entry: &Entry| entry.doc_id == record.doc_id && entry.bucket == record.bucket;
            if self.entries.get(&record.source).is_some_and(same) {
                self.entries.remove(&record.source);
            }
            return;
        }
        self.entries.insert(
            record.source.clone(),
            Entry {
                bucket: record.bucket.clone(),
                doc_id: record.doc_id.clone(),
                hash: record.hash.clone(),
                chunks: record.of,
                pipeline: record.pipeline.clone(),
                left_out: record.left_out.clone(),
            },
        );
    }

    /// Documents that another pipeline made count as changed: they are to be made anew.
    pub fn outdate(&mut self, pipeline: &str) {
        let others = self.entries.values_mut();
        for entry in others.filter(|entry| entry.pipeline != pipeline) {
            entry.hash.clear();
        }
    }

    /// The tenant that owns the documents.
    pub fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// What is indexed of a source.
    pub fn get(&self, source: &str) -> Option<&Entry> {
        self.entries.get(source)
    }

    /// All documents, by source.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries
            .iter()
            .map(|(source, entry)| (source.as_str(), entry))
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when nothing is indexed.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Compares the disk with the catalog. Documents whose files are there and could not be read are kept, so that a share
    /// that is not mounted, or an archive that is just being copied, does not empty the index. Nor does a rule for the
    /// lines of a file by which none of them is a document.
    pub fn diff(&self, disk: &[Stamp], skipped: &[Skip], mode: PublishMode) -> IndexPlan {
        let mut plan = IndexPlan::default();
        for stamp in disk {
            match self.entries.get(&stamp.source) {
                Some(entry) if !is_same_document(entry, stamp) => {
                    plan.delete.push((stamp.source.clone(), entry.clone()));
                    plan.publish.push(stamp.clone());
                }
                Some(entry) if mode == PublishMode::Incremental && entry.hash == stamp.hash => {
                    plan.unchanged += 1;
                    let left_out = entry.left_out.clone();
                    plan.in_part
                        .extend(left_out.map(|why| (stamp.clone(), why)));
                }
                _ => plan.publish.push(stamp.clone()),
            }
        }
        let present: BTreeSet<&str> = disk.iter().map(|stamp| stamp.source.as_str()).collect();
        let no_rows = no_rows(&present, skipped);
        let of_no_rows = |source: &str| {
            let mut files = source.match_indices('#').map(|(at, _)| &source[..at]);
            files.any(|file| no_rows.contains(file))
        };
        let missing = self
            .entries
            .iter()
            .filter(|(source, _)| !present.contains(source.as_str()));
        for (source, entry) in missing {
            if of_no_rows(source) || skipped.iter().any(|skip| leaves_open(skip, source)) {
                plan.kept.push(source.clone());
            } else {
                plan.delete.push((source.clone(), entry.clone()));
            }
        }
        plan
    }
}

fn is_same_document(entry: &Entry, stamp: &Stamp) -> bool {
    entry.bucket == stamp.bucket && entry.doc_id == stamp.doc_id
}

/// Files with bad lines and not one that is a document.
fn no_rows<'a>(present: &BTreeSet<&str>, skipped: &'a [Skip]) -> BTreeSet<&'a str> {
    let bad = skipped.iter();
    let bad = bad.filter(|skip| matches!(skip.reason, SkipReason::BadLine(_)));
    let files = bad.filter_map(|skip| Some(skip.source.rsplit_once('#')?.0));
    let mut files: BTreeSet<&str> = files.collect();
    files.retain(|file| {
        let first = format!("{file}#");
        let row = present.range(first.as_str()..).next();
        !row.is_some_and(|row| row.starts_with(&first))
    });
    files
}

/// Whether a skipped file or folder may hide `source`, which may be a part of that file.
fn leaves_open(skip: &Skip, source: &str) -> bool {
    skip.reason.hides()
        && (skip.source.is_empty()
            || source
                .strip_prefix(skip.source.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#'])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{bucket_of, doc_id_of};

    fn stamp(source: &str, hash: &str) -> Stamp {
        Stamp {
            source: source.into(),
            bucket: bucket_of(source),
            doc_id: doc_id_of(&TenantId::default_tenant(), source),
            hash: hash.into(),
        }
    }

    fn head(stamp: &Stamp, deleted: bool) -> ChunkRecord {
        serde_json::from_value(serde_json::json!({
            "v": 1, "tenant": "default", "bucket": stamp.bucket, "doc_id": stamp.doc_id, "n": 0,
            "of": 2, "hash": stamp.hash, "source": stamp.source, "deleted": deleted,
        }))
        .unwrap()
    }

    fn of_records(records: &[ChunkRecord]) -> Catalog {
        let mut catalog = Catalog::new(TenantId::default_tenant());
        records.iter().for_each(|record| catalog.observe(record));
        catalog
    }

    fn catalog(stamps: &[Stamp]) -> Catalog {
        let heads: Vec<_> = stamps.iter().map(|s| head(s, false)).collect();
        of_records(&heads)
    }

    fn sources(plan: &IndexPlan) -> (Vec<&str>, Vec<&str>) {
        (
            plan.publish.iter().map(|s| s.source.as_str()).collect(),
            plan.delete.iter().map(|(s, _)| s.as_str()).collect(),
        )
    }

    #[test]
    fn only_what_changed_is_published() {
        let old = catalog(&[
            stamp("a/same.md", "1"),
            stamp("a/new.md", "1"),
            stamp("a/gone.md", "1"),
        ]);
        let disk = [
            stamp("a/same.md", "1"),
            stamp("a/new.md", "2"),
            stamp("a/first.md", "1"),
        ];
        let plan = old.diff(&disk, &[], PublishMode::Incremental);
        assert_eq!(
            sources(&plan),
            (vec!["a/new.md", "a/first.md"], vec!["a/gone.md"])
        );
        assert_eq!(plan.unchanged, 1);
        let forced = old.diff(&disk, &[], PublishMode::Force);
        assert_eq!((forced.publish.len(), forced.unchanged), (3, 0));
    }

    #[test]
    fn what_another_pipeline_made_is_made_anew() {
        let (same, other) = (stamp("a/same.md", "1"), stamp("a/other.md", "1"));
        let mut heads = [head(&same, false), head(&other, false)];
        heads[0].pipeline = "chunk-9".into();
        let mut catalog = of_records(&heads);
        catalog.outdate("chunk-9");
        let plan = catalog.diff(&[same, other], &[], PublishMode::Incremental);
        assert_eq!(
            (sources(&plan), plan.unchanged),
            ((vec!["a/other.md"], vec![]), 1)
        );
    }

    #[test]
    fn what_was_read_in_part_is_so_while_it_is_unchanged() {
        let part = stamp("a/part.pdf", "1");
        let mut head = head(&part, false);
        let why = Problem::new("partial", "268 pages are missing");
        head.left_out = Some(why.clone());
        let of_it = |hash, mode| {
            let disk = [stamp("a/part.pdf", hash)];
            let plan = of_records(std::slice::from_ref(&head)).diff(&disk, &[], mode);
            (plan.unchanged, plan.in_part)
        };
        let unchanged = of_it("1", PublishMode::Incremental);
        assert_eq!(unchanged, (1, vec![(part.clone(), why)]));
        assert_eq!(of_it("2", PublishMode::Incremental), (0, vec![]));
        assert_eq!(of_it("1", PublishMode::Force), (0, vec![]));
    }

    #[test]
    fn what_cannot_be_read_is_not_deleted() {
        let old = catalog(&[stamp("a/x.md", "1"), stamp("ab/y.md", "1")]);
        let skip = |source: &str, reason| Skip {
            source: source.into(),
            reason,
        };
        let unreadable = SkipReason::Unreadable("no such device".into());
        let plan = old.diff(
            &[],
            &[skip("a", unreadable.clone())],
            PublishMode::Incremental,
        );
        assert_eq!(sources(&plan).1, ["ab/y.md"]);
        assert_eq!(plan.kept, ["a/x.md"]);
        let plan = old.diff(&[], &[skip("", unreadable)], PublishMode::Force);
        assert_eq!(plan.delete, []);
        let limits = SkipReason::OverLimits("it took longer than 60s".into());
        let archive = catalog(&[stamp("a/z.zip#b/c.md", "1"), stamp("a/z.zip#d.md", "1")]);
        for (source, reason, kept) in [
            ("a/z.zip", SkipReason::Broken("it ends too early".into()), 2),
            ("a/z.zip#d.md", limits, 1),
            ("a/z.zip#d.md", SkipReason::Empty, 0),
            (
                "a/z.zip",
                SkipReason::Partial("1 in it without a reader".into()),
                0,
            ),
        ] {
            let plan = archive.diff(&[], &[skip(source, reason)], PublishMode::Incremental);
            assert_eq!(
                (plan.kept.len(), plan.delete.len()),
                (kept, 2 - kept),
                "{source}"
            );
        }
        let plan = old.diff(
            &[],
            &[skip("a/x.md", SkipReason::Empty)],
            PublishMode::Incremental,
        );
        assert_eq!(plan.delete.len(), 2);
    }

    #[test]
    fn what_is_not_read_here_and_rows_of_which_none_is_read_stay() {
        let kept = |there: &str, disk: &[Stamp], source: &str, reason| {
            let skip = Skip {
                source: source.into(),
                reason,
            };
            let plan = catalog(&[stamp(there, "1")]).diff(disk, &[skip], PublishMode::Incremental);
            plan.kept.len() == 1 && plan.delete.is_empty()
        };
        for (ext, stays) in [("png", true), ("doc", true), ("exe", false)] {
            let file = format!("a/x.{ext}");
            let reason = SkipReason::UnknownExtension(ext.into());
            assert_eq!(kept(&file, &[], &file, reason), stays, "{ext}");
        }
        let bad = || SkipReason::BadLine("it has no `bdy`".into());
        let (one, other) = (stamp("a/x.jsonl#c", "1"), stamp("a/x.jsonl.md", "1"));
        assert!(kept("a/x.jsonl#b", &[], "a/x.jsonl#1", bad()));
        assert!(kept("a/x.jsonl#b", &[other], "a/x.jsonl#1", bad()));
        assert!(!kept("a/x.jsonl#b", &[one], "a/x.jsonl#1", bad()));
        assert!(!kept("a/y.jsonl#b", &[], "a/x.jsonl#1", bad()));
    }

    #[test]
    fn a_document_under_a_new_id_replaces_the_old_one() {
        let mut moved = stamp("a/x.md", "1");
        let old = catalog(std::slice::from_ref(&moved));
        moved.doc_id = DocId::new("another").unwrap();
        let plan = old.diff(&[moved], &[], PublishMode::Incremental);
        assert_eq!(sources(&plan), (vec!["a/x.md"], vec!["a/x.md"]));
    }

    #[test]
    fn tombstones_and_other_tenants_are_heeded() {
        let a = stamp("a/x.md", "1");
        let mut foreign = head(&stamp("a/y.md", "1"), false);
        foreign.tenant = TenantId::new("other").unwrap();
        let mut body = head(&stamp("a/z.md", "1"), false);
        body.n = 1;
        let records = [head(&a, false), foreign, body, head(&a, true)];
        let all = of_records(&records);
        assert!(all.is_empty());
        let alive = of_records(&records[..3]);
        assert_eq!(
            alive
                .entries()
                .map(|(s, e)| (s, e.chunks))
                .collect::<Vec<_>>(),
            [("a/x.md", 2)]
        );
    }
}
