//! Tests of files in files.

use super::*;
use crate::corpus;
use crate::document::sha256_hex;
use crate::reader::tests::{all, sample};
use ::zip::ZipWriter;
use ::zip::write::SimpleFileOptions;
use envelope::TenantId;
use std::io::Write;

/// A zip of these files.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// What comes out: names, and the extension or the code of the reason.
fn told(name: &str, bytes: &[u8]) -> Vec<String> {
    let told = all(name, bytes).into_iter().map(|found| match found {
        Ok(document) => format!("{} {}", document.source, document.ext),
        Err(skip) => format!("{} !{}", skip.source, skip.reason.as_str()),
    });
    told.collect()
}

#[test]
fn entries_are_read_by_the_reader_of_their_name_in_order() {
    let bytes = zip(&[
        ("z/lease.docx", &sample("lease.docx")),
        (
            "rows.jsonl",
            b"{\"text\":\"one\",\"id\":\"r1\"}\n{\"text\":\"two\"}\n",
        ),
        ("dir\\b.txt", b"words"),
        ("a.md", b"# Said\nwords"),
        ("m.eml", &sample("crane.eml")),
        ("empty.txt", b""),
        ("pic.png", b"x"),
        ("README", b"x"),
    ]);
    assert_eq!(
        told("c/a.zip", &bytes),
        [
            "c/a.zip#a.md md",
            "c/a.zip#dir/b.txt txt",
            "c/a.zip#empty.txt !empty",
            "c/a.zip#m.eml eml",
            "c/a.zip#m.eml#Plan für März.md md",
            "c/a.zip#m.eml#Inner.eml eml",
            "c/a.zip#m.eml#files.zip#a.md md",
            "c/a.zip#m.eml#files.zip#b/notes.txt txt",
            "c/a.zip#m.eml !partial",
            "c/a.zip#rows.jsonl#r1 jsonl",
            "c/a.zip#rows.jsonl#2 jsonl",
            "c/a.zip#z/lease.docx docx",
            "c/a.zip !partial",
        ]
    );
    let found = all("c/a.zip", &bytes);
    let left_out = found
        .last()
        .unwrap()
        .as_ref()
        .unwrap_err()
        .reason
        .to_string();
    assert!(
        left_out.ends_with("2 in it without a reader: README, pic.png"),
        "{left_out}"
    );
    let titles: Vec<_> = found.iter().flatten().map(|d| d.title.as_str()).collect();
    assert_eq!(titles[..2], ["Said", "b"]);
    for document in found.iter().flatten() {
        assert_eq!(
            document.hash,
            sha256_hex(&document.to_json()),
            "{}",
            document.source
        );
        assert_eq!(document.bucket.as_str(), "c");
    }
}

#[test]
fn names_that_lead_out_and_hidden_files_are_told() {
    let bytes = zip(&[
        ("../a.txt", b"x"),
        ("/b.txt", b"x"),
        ("c:\\d.txt", b"x"),
        ("__MACOSX/._e.txt", b"x"),
        ("__MACOSX/f.txt", b"x"),
        ("g/.git/h.txt", b"x"),
        ("g/.git/i.txt", b"x"),
        ("j.txt", b"x"),
    ]);
    assert_eq!(
        told("a.zip", &bytes),
        [
            "a.zip#../a.txt !entry",
            "a.zip#/b.txt !entry",
            "a.zip#__MACOSX !hidden",
            "a.zip#c:/d.txt !entry",
            "a.zip#g/.git !hidden",
            "a.zip#j.txt txt",
        ]
    );
}

#[test]
fn what_is_too_deep_is_told_and_not_read() {
    let mut bytes = zip(&[("d.txt", b"x")]);
    for name in ["4.zip", "3.zip", "2.zip"] {
        bytes = zip(&[(name, &bytes), ("t.txt", b"x")]);
    }
    assert_eq!(
        told("1.zip", &bytes),
        [
            "1.zip#2.zip#3.zip#4.zip !entry",
            "1.zip#2.zip#3.zip#t.txt txt",
            "1.zip#2.zip#t.txt txt",
            "1.zip#t.txt txt",
        ]
    );
}

#[test]
fn what_unpacks_to_too_much_ends_the_file() {
    let large = vec![b'a'; 20 << 20];
    assert_eq!(
        told("a.zip", &zip(&[("a.txt", &large)])),
        ["a.zip#a.txt !too_large"]
    );
    let room = Room::of_file(1);
    assert_eq!(room.take(UNPACKED_BYTES_MAX), Ok(()));
    let all = Err(SkipReason::Inflates(UNPACKED_BYTES_MAX));
    assert_eq!(room.inside().unwrap().take(1), all, "all have one limit");
    let bytes = zip(&[("a.txt", b"x"), ("b.txt", b"xy"), ("c.txt", b"x")]);
    let file = File::named("a.zip", &TenantId::default_tenant()).unwrap();
    let room = Room {
        bytes_left: Arc::new(AtomicU64::new(2)),
        ..Room::of_file(1)
    };
    let size = bytes.len() as u64;
    let found: Vec<_> = read(Box::new(Cursor::new(bytes)), size, file, room)
        .unwrap()
        .collect();
    assert_eq!(found.len(), 2);
    let skip = found[1].as_ref().unwrap_err();
    assert_eq!(
        (skip.source.as_str(), skip.reason.as_str()),
        ("a.zip", "inflates"),
        "what was not reached stays indexed"
    );
}

#[test]
fn an_archive_in_an_archive_has_no_room_of_its_own() {
    let inner = zip(&[("a.txt", b"x"), ("b.txt", b"xy")]);
    let bytes = zip(&[("in.zip", &inner), ("last.txt", b"x")]);
    let file = File::named("a.zip", &TenantId::default_tenant()).unwrap();
    let room = Room {
        bytes_left: Arc::new(AtomicU64::new(inner.len() as u64 + 2)),
        ..Room::of_file(1)
    };
    let size = bytes.len() as u64;
    let found = read(Box::new(Cursor::new(bytes)), size, file, room).unwrap();
    let told = found.map(|found| found.map(|d| d.source).map_err(|s| s.source));
    let told: Vec<_> = told.collect();
    let of = |name: &str| name.to_owned();
    assert_eq!(
        told,
        [
            Ok(of("a.zip#in.zip#a.txt")),
            Err(of("a.zip#in.zip")),
            Ok(of("a.zip#last.txt")),
        ]
    );
}

#[test]
fn what_is_not_named_may_still_be_there() {
    let names: Vec<String> = (0..150).map(|n| format!("{n:03}.pdf")).collect();
    let files: Vec<(&str, &[u8])> = names
        .iter()
        .map(|name| (name.as_str(), &b"%PDF-1.4"[..]))
        .collect();
    let last = all("a.zip", &zip(&files)).pop().unwrap().unwrap_err();
    assert_eq!(
        (last.source.as_str(), last.reason.as_str()),
        ("a.zip", "unreadable")
    );
}

#[test]
fn archives_that_are_stored_in_one_are_not_counted() {
    let inner = zip(&[("a.txt", b"x"), ("b.txt", b"x"), ("c.txt", b"x")]);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(::zip::CompressionMethod::Stored);
    writer.start_file("in.zip", stored).unwrap();
    writer.write_all(&inner).unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    let names = ["a", "b", "c"].map(|name| format!("a.zip#in.zip#{name}.txt txt"));
    assert_eq!(told("a.zip", &bytes), names);
}

#[test]
fn a_name_is_not_that_of_a_file_in_a_file() {
    let inner = zip(&[("c.txt", b"one")]);
    let bytes = zip(&[("b.zip", &inner), ("b.zip#c.txt", b"two")]);
    assert_eq!(
        told("a.zip", &bytes),
        ["a.zip#b.zip#c.txt txt", "a.zip#b.zip_c.txt txt"]
    );
}

#[test]
fn many_entries_that_cannot_be_read_are_counted() {
    let names: Vec<String> = (0..150).map(|n| format!("{n:03}.txt")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let found = all("a.zip", &zip(&files));
    assert_eq!(found.len(), NAMED_MAX + 1);
    let last = found[NAMED_MAX].as_ref().unwrap_err().reason.to_string();
    assert_eq!(last, "read in part: 50 more in it are left out");
}

#[test]
fn a_directory_that_says_too_many_entries_is_not_read() {
    let mut bytes = zip(&[("a.txt", b"x")]);
    let end = bytes.len() - 22;
    bytes[end + 10..end + 12].copy_from_slice(&60_000_u16.to_le_bytes());
    assert_eq!(told("a.zip", &bytes), ["a.zip !entry"]);
    assert_eq!(told("a.zip", b"no archive"), ["a.zip !broken"]);
}

#[test]
fn an_entry_with_a_password_is_told() {
    let mut bytes = zip(&[("a.txt", b"words"), ("b.txt", b"words")]);
    let flags = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap() + 8;
    bytes[flags] |= 1;
    assert_eq!(
        told("a.zip", &bytes),
        ["a.zip#a.txt !encrypted", "a.zip#b.txt txt"]
    );
}

#[test]
fn names_are_distinct_and_short() {
    let mut names = HashSet::new();
    let three: Vec<String> = (0..3).map(|_| unused(&mut names, "b/a.txt")).collect();
    assert_eq!(three, ["b/a.txt", "b/a (2).txt", "b/a (3).txt"]);
    assert_eq!(unused(&mut names, "id@a.example"), "id@a.example");
    assert_eq!(unused(&mut names, "id@a.example"), "id@a.example (2)");
    let many: HashSet<String> = (0..500).map(|_| unused(&mut names, "x")).collect();
    assert_eq!(many.len(), 500);
    let long = shortened(&format!("{}.txt", "ä".repeat(500)));
    assert!(
        long.len() <= NAME_BYTES_MAX && long.ends_with("ä.txt"),
        "{long}"
    );
    assert_eq!(shortened(" a\nb.txt "), "a_b.txt");
    assert_eq!(shortened(""), "unnamed");
}

#[test]
fn a_cursor_finds_what_is_in_files_again() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = zip(&[
        ("b/a.txt", b"one"),
        ("c.eml", &sample("crane.eml")),
        ("d.txt", b"two"),
    ]);
    std::fs::write(folder.path().join("x#y.zip"), bytes).unwrap();
    let tenant = TenantId::default_tenant();
    let walked: Vec<_> = corpus::walk(folder.path(), &tenant).collect();
    let stamps: Vec<_> = corpus::stamps(folder.path(), &tenant, |_, _| None).collect();
    assert_eq!(walked.len(), stamps.len());
    let mut cursor = corpus::Cursor::default();
    let documents = walked
        .iter()
        .filter_map(|(path, found)| Some((path, found.as_ref().ok()?)));
    let documents: Vec<_> = documents.collect();
    assert_eq!(documents.len(), 7);
    for (path, document) in documents.iter().chain(documents.iter().rev()) {
        let again = cursor.read(path, &document.source, &tenant).unwrap();
        assert_eq!(&again, *document);
    }
}
