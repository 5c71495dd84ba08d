//! Tests of what is remembered of files that could not be read.

use super::*;
use documents::SkipReason;
use documents::document::{bucket_of, doc_id_of};
use envelope::TenantId;

fn stamp(source: &str) -> Stamp {
    Stamp {
        source: source.into(),
        bucket: bucket_of(source),
        doc_id: doc_id_of(&TenantId::default_tenant(), source),
        hash: "1".into(),
    }
}

fn skip(source: &str, reason: SkipReason) -> Found {
    let source = source.into();
    Err(Skip { source, reason })
}

/// A folder with one file, and what remembers it.
struct Corpus {
    dir: tempfile::TempDir,
}

impl Corpus {
    fn new() -> Corpus {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.zip"), "bytes").unwrap();
        Corpus { dir }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("a.zip")
    }

    fn open(&self, readers: &str, tries_max: Option<u32>) -> Unread {
        let file = self.dir.path().join("unread.json");
        Unread::open(file, readers.into(), tries_max)
    }

    fn found(&self, readers: &str) -> Option<Vec<Found>> {
        self.open(readers, Some(2)).found(&self.path(), "a.zip")
    }

    /// A run that reads the file, and what comes of its document.
    fn gives(&self, readers: &str, problem: Option<(Problem, bool)>) {
        let mut unread = self.open(readers, None);
        assert_eq!(unread.found(&self.path(), "a.zip"), None);
        match problem {
            Some((problem, in_part)) => unread.give_up(stamp("a.zip"), problem, in_part),
            None => unread.learn(vec![stamp("a.zip")], &[]),
        }
        unread.save(self.dir.path(), true);
    }

    /// A run that reads the file if it has to: whether it did, and whether the first thing that it tells is known.
    fn run(&self, readers: &str, tries_max: Option<u32>, found: &[Found]) -> (bool, bool) {
        let mut unread = self.open(readers, tries_max);
        let known = unread.found(&self.path(), "a.zip");
        let is_read = known.is_none();
        let found = known.unwrap_or_else(|| found.to_vec());
        let told = found.iter().filter_map(|one| one.clone().err());
        let mut told: Vec<SkippedFile> = told.map(SkippedFile::from).collect();
        unread.take("a.zip", found);
        unread.mark(&mut told);
        unread.save(self.dir.path(), true);
        (is_read, told.first().is_some_and(|one| one.is_known))
    }
}

#[test]
fn a_bad_file_is_read_and_told_once_until_it_changes() {
    let corpus = Corpus::new();
    let broken = SkipReason::Broken("it ends too early".into());
    let found = [
        Ok((stamp("a.zip#b.md"), DocumentForm::Document)),
        skip("a.zip#c.pdf", broken),
    ];
    assert_eq!(corpus.run("1", Some(2), &found), (true, false));
    assert_eq!(corpus.run("1", Some(2), &found), (false, true));
    let all = corpus.found("1");
    assert_eq!(all.as_deref(), Some(&found[..]), "its documents stay");
    // By force, and for other readers, it is read; told it is where they may say something else.
    assert_eq!(corpus.run("1", None, &found), (true, true));
    assert_eq!(corpus.run("2", Some(2), &found), (true, false));
    assert_eq!(corpus.run("2", Some(2), &found), (false, true));
    std::fs::write(corpus.path(), "more bytes").unwrap();
    assert_eq!(corpus.run("2", Some(2), &found), (true, true));
    // It is well again, and nothing is remembered.
    std::fs::write(corpus.path(), "good").unwrap();
    let good = &found[..1];
    assert_eq!(corpus.run("2", Some(2), good), (true, false));
    assert_eq!(corpus.run("2", Some(2), good), (true, false));
}

#[test]
fn what_may_pass_is_tried_again_though_not_for_ever() {
    let corpus = Corpus::new();
    let slow = [skip("a.zip", SkipReason::OverLimits("it took long".into()))];
    let read: Vec<bool> = (0..4).map(|_| corpus.run("1", Some(2), &slow).0).collect();
    assert_eq!(read, [true, true, false, false]);
    assert_eq!(corpus.run("1", Some(u32::MAX), &slow), (true, true));
    // What costs nothing to look at is looked at each time, and told once.
    for reason in [
        SkipReason::Unreadable("permission denied".into()),
        SkipReason::UnknownExtension("doc".into()),
    ] {
        let corpus = Corpus::new();
        let found = [skip("a.zip", reason)];
        assert_eq!(corpus.run("1", Some(2), &found), (true, false));
        assert_eq!(corpus.run("1", Some(2), &found), (true, true));
    }
}

#[test]
fn a_document_that_was_given_up_is_not_sent_again() {
    let corpus = Corpus::new();
    let problem = Problem::new("encrypted", "save it without a password");
    corpus.gives("1", Some((problem.clone(), false)));
    let mut unread = corpus.open("1", Some(2));
    let found = unread.found(&corpus.path(), "a.zip").unwrap();
    assert_eq!(found, [Ok((stamp("a.zip"), DocumentForm::File))]);
    unread.take("a.zip", found);
    let mut publish = vec![stamp("a.zip"), stamp("b.md")];
    let (told, _) = unread.recall(Vec::new(), &mut publish, |_| true);
    let reasons: Vec<&str> = told.iter().map(|one| one.reason.as_str()).collect();
    let wanted = (vec![problem.message.as_str()], 1);
    assert_eq!((reasons, publish.len()), wanted);
    assert!(!told[0].in_part);
    // What went wrong elsewhere says nothing of the file.
    corpus.gives("1", Some((Problem::new("away", ""), false)));
    assert_eq!(corpus.found("1"), None);
}

#[test]
fn what_was_read_in_part_is_told_again_and_read_again_by_other_readers() {
    let corpus = Corpus::new();
    let why = Problem::new("partial", "268 pages are missing");
    let part = Some((why.clone(), true));
    corpus.gives("1", part.clone());
    let of_file = |readers, is_file: bool| {
        let mut unread = corpus.open(readers, Some(2));
        let found = unread.found(&corpus.path(), "a.zip");
        unread.take("a.zip", found.unwrap_or_default());
        let mut publish = Vec::new();
        let head = vec![(stamp("a.zip"), why.clone())];
        let (told, again) = unread.recall(head, &mut publish, |_| is_file);
        assert!(told.iter().all(|one| one.in_part) && publish.len() == again.len());
        // Of a part of a file its file is told by itself.
        assert!(told.iter().all(|one| one.is_known != is_file));
        (told.len(), again.len())
    };
    let recalled = |readers| of_file(readers, true);
    assert_eq!((recalled("1"), recalled("2")), ((1, 0), (0, 1)));
    corpus.gives("2", part);
    assert_eq!((recalled("1"), recalled("2")), ((1, 0), (1, 0)));
    // A run that was killed has left no more than the head, and a part of a file is not read alone.
    std::fs::remove_file(corpus.dir.path().join("unread.json")).unwrap();
    assert_eq!((recalled("1"), of_file("1", false)), ((0, 1), (1, 0)));
}

#[test]
fn a_fleet_and_a_run_that_failed_leave_what_was_left_out_to_be_told() {
    let corpus = Corpus::new();
    let head = || vec![(stamp("a.zip"), Problem::new("partial", "268 pages"))];
    let (told, again) = Unread::default().recall(head(), &mut Vec::new(), |_| true);
    assert!(told[0].in_part && again.is_empty());
    let mut unread = corpus.open("1", Some(2));
    for (is_told, is_known) in [(false, false), (true, false), (true, true)] {
        let found = unread.found(&corpus.path(), "a.zip");
        unread.take("a.zip", found.unwrap_or_default());
        let (told, _) = unread.recall(head(), &mut Vec::new(), |_| true);
        let mut told = match told.is_empty() {
            false => told,
            true => vec![SkippedFile::of(
                "a.zip".into(),
                Some(head()[0].1.clone()),
                true,
            )],
        };
        unread.learn(vec![stamp("a.zip")], &told);
        unread.mark(&mut told);
        assert_eq!(told[0].is_known, is_known);
        unread.save(corpus.dir.path(), is_told);
        unread = corpus.open("1", Some(2));
    }
}

#[test]
fn what_a_program_lacks_here_may_be_there_the_next_time() {
    let corpus = Corpus::new();
    for is_read_again in [true, false] {
        let lacks = Problem::new("program_failed", "it lacks a language");
        corpus.gives("1", Some((lacks, true)));
        assert_eq!(corpus.found("1").is_none(), is_read_again);
    }
    let mut index = corpus.open("1", Some(u32::MAX));
    assert_eq!(index.found(&corpus.path(), "a.zip"), None);
    let mut publish = Vec::new();
    let head = vec![(stamp("a.zip"), Problem::new("program_failed", ""))];
    let (_, again) = index.recall(head, &mut publish, |_| true);
    assert_eq!(again.len(), 1);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_read_again() {
    let bad = [skip(
        "a.zip",
        SkipReason::Broken("it ends too early".into()),
    )];
    let corpus = Corpus::new();
    let mut unread = corpus.open("1", Some(2));
    assert_eq!(unread.found(&corpus.path(), "a.zip"), None);
    unread.take("a.zip", bad.to_vec());
    // It was read; now it is replaced, and then indexed.
    std::fs::write(corpus.path(), "other bytes").unwrap();
    unread.save(corpus.dir.path(), true);
    assert_eq!(corpus.found("1"), None);
    let mut unread = corpus.open("1", Some(2));
    assert_eq!(unread.found(&corpus.path(), "a.zip"), None);
    std::fs::write(corpus.path(), "still others").unwrap();
    unread.give_up(stamp("a.zip"), Problem::new("broken", ""), false);
    unread.save(corpus.dir.path(), true);
    assert_eq!(corpus.found("1"), None);
}

#[test]
fn a_file_of_the_same_size_and_time_is_another_file() {
    let corpus = Corpus::new();
    let bad = [skip(
        "a.zip",
        SkipReason::Broken("it ends too early".into()),
    )];
    assert_eq!(corpus.run("1", Some(2), &bad), (true, false));
    assert_eq!(corpus.run("1", Some(2), &bad), (false, true));
    let time = std::fs::metadata(corpus.path())
        .unwrap()
        .modified()
        .unwrap();
    std::fs::write(corpus.path(), "BYTES").unwrap();
    let file = std::fs::File::options().append(true).open(corpus.path());
    file.unwrap().set_modified(time).unwrap();
    assert_eq!(corpus.run("1", Some(2), &bad), (true, true));
}

#[test]
fn readers_in_turn_do_not_begin_anew() {
    for reason in [
        SkipReason::OverLimits("it took long".into()),
        SkipReason::NoText,
        SkipReason::Program("`tesseract` cannot be started".into()),
    ] {
        let corpus = Corpus::new();
        let slow = [skip("a.zip", reason)];
        let turns = ["1", "2", "1", "2", "1", "2"];
        let read: Vec<bool> = turns.map(|of| corpus.run(of, Some(2), &slow).0).into();
        assert_eq!(read, [true, true, true, true, false, false]);
        assert!(corpus.run("1", Some(u32::MAX), &slow).0);
    }
}

#[test]
fn what_stays_so_is_not_read_again_and_the_last_four_readers_are_remembered() {
    for reason in [
        SkipReason::Binary,
        SkipReason::Empty,
        SkipReason::Encrypted,
        SkipReason::Inflates(1),
        SkipReason::BadLine("no text".into()),
        SkipReason::Partial("a page is missing".into()),
    ] {
        let corpus = Corpus::new();
        let found = [skip("a.zip", reason)];
        assert_eq!(corpus.run("1", Some(2), &found), (true, false), "{found:?}");
        assert_eq!(corpus.run("1", Some(2), &found), (false, true), "{found:?}");
    }
    let corpus = Corpus::new();
    let bad = [skip("a.zip", SkipReason::Broken("it ends".into()))];
    for of in ["1", "2", "3", "4", "5"] {
        assert!(corpus.run(of, Some(2), &bad).0);
    }
    assert!(corpus.found("1").is_none() && corpus.found("2").is_some());
}
