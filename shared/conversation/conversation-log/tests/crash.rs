//! Tests with a process that is killed at any moment: no acknowledged event is missing, and no folder is half old and
//! half new.
//!
//! The process is this test binary again; it runs only the ignored test, which reads its instructions from standard
//! input.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod common;

use argosy_conversation_log::sled_store::{Injection, OnDamage, OpenError, Options, StorePoint};
use argosy_conversation_log::{SledStore, Store, StoreError};
use common::{NOW, Tape, all, events, files, grep, holds_the_tape, open, options, try_open};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use testkit::conversation::key;

const MARKER: &str = "the sentence that nobody may find";

/// Another process, told what to do in which folder.
fn child(mut command: Command, folder: &Path, what: &str) -> Child {
    command
        .args(["--exact", "the_other_process", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}\n{what}", folder.display()).unwrap();
    child
}

fn this() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// What it says behind this word, line by line.
fn said<'a>(child: &mut Child, word: &'a str) -> impl Iterator<Item = String> + 'a {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.filter_map(move |line| {
        let line = line.ok()?;
        Some(line.split_once(word)?.1.trim().to_owned())
    })
}

#[tokio::test]
#[ignore = "the other process of the tests here"]
async fn the_other_process() {
    let mut lines = std::io::stdin().lines();
    let mut line = || lines.next().and_then(Result::ok).unwrap_or_default();
    let (folder, what) = (line(), line());
    match what.split_once(' ').unwrap_or((&what, "")) {
        ("write", "the truth") => write(Path::new(&folder), OnDamage::Salvage).await,
        ("write", _) => write(Path::new(&folder), OnDamage::Rebuild).await,
        ("purge", point) => purge(Path::new(&folder), point).await,
        ("salvage", point) => salvage(Path::new(&folder), point).await,
        _ => {}
    }
}

/// Writes until the process is killed, or the disk refuses, and purges now and then.
async fn write(folder: &Path, damage: OnDamage) {
    let (store, loss) = open(folder, damage).await;
    assert_eq!(loss, None);
    let position = store.position().await.unwrap();
    let mut tape = Tape::up_to(position.sequence);
    if position.created != tape.script.created {
        store.reset(tape.script.created).await.unwrap();
    }
    for round in 1.. {
        tape.write(fastrand::u64(1..30));
        let written = async {
            store.apply(tape.script.batch()).await?;
            store.flush().await
        };
        if let Err(error) = written.await {
            println!("\nrefused {error:?}");
            let again = store.position().await;
            assert!(matches!(again, Err(StoreError::Failed(_))), "{again:?}");
            return;
        }
        println!("\nacked {}", tape.script.sequence);
        if round % 9 == 0
            && let Err(error) = store.purge().await
        {
            // No room for the copy: what is there goes on, unless the disk refused that as well.
            println!("\nrefused the copy: {error:?}");
            match store.position().await {
                Ok(position) => assert_eq!(position, tape.script.position()),
                Err(again) => {
                    assert!(matches!(again, StoreError::Failed(_)), "{again:?}");
                    return;
                }
            }
        }
    }
}

fn ends_at(point: &str) -> Injection {
    let end = StorePoint::ALL
        .into_iter()
        .find(|p| format!("{p:?}") == point);
    let end = end.expect("a point");
    Injection::new(move |at| match at == end {
        true => std::process::abort(),
        false => Ok(()),
    })
}

async fn purge(folder: &Path, point: &str) {
    let options = Options {
        inject: ends_at(point),
        ..options(OnDamage::Salvage)
    };
    let (store, _) = SledStore::open(folder, NOW, options).await.unwrap();
    store.purge().await.unwrap();
}

async fn salvage(folder: &Path, point: &str) {
    let options = Options {
        inject: ends_at(point),
        ..options(OnDamage::Salvage)
    };
    let _ = SledStore::open(folder, NOW, options).await.unwrap();
}

#[tokio::test]
async fn what_was_acknowledged_outlasts_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    for round in 0..8 {
        let (what, damage) = match round % 2 {
            0 => ("write a view", OnDamage::Rebuild),
            _ => ("write the truth", OnDamage::Salvage),
        };
        let mut writer = child(this(), folder.path(), what);
        let mut acked = 0;
        let mut left = random.usize(0..60);
        if random.u8(0..4) == 0 {
            // While it opens, perhaps.
            sleep(Duration::from_millis(random.u64(0..80)));
            left = 0;
        }
        for line in said(&mut writer, "acked ").take(left) {
            acked = line.parse().unwrap();
        }
        sleep(Duration::from_micros(random.u64(0..4_000)));
        writer.kill().unwrap();
        writer.wait().unwrap();
        let (store, loss) = open(folder.path(), damage).await;
        assert_eq!(loss, None, "round {round}");
        let held = holds_the_tape(&store).await;
        assert!(acked <= held, "round {round}: {held} of {acked}");
    }
}

#[tokio::test]
async fn another_process_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = child(this(), folder.path(), "write a view");
    assert!(said(&mut writer, "acked ").next().is_some());
    let refused = try_open(folder.path(), OnDamage::Rebuild).await.err();
    let pid = writer.id();
    writer.kill().unwrap();
    writer.wait().unwrap();
    let refused = refused.unwrap();
    assert!(matches!(&refused, OpenError::Held { pid: Some(of), .. } if *of == pid));
    let sentence = format!("in use by the process {pid}; one process owns");
    assert!(refused.to_string().contains(&sentence), "{refused}");
    // Its folder is free when it is gone.
    open(folder.path(), OnDamage::Rebuild).await;
}

/// A limit on the size of files stands for a full disk.
#[tokio::test]
async fn a_full_disk_is_an_error_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // In an ignored signal's place the write returns an error.
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 6000; exec \"$0\" \"$@\""]);
    limited.arg(std::env::current_exe().unwrap());
    let mut writer = child(limited, folder.path(), "write a view");
    let (mut acked, mut refused) = (0, None);
    for line in said(&mut writer, "ed ") {
        match line.parse::<u64>() {
            Ok(sequence) => acked = sequence,
            Err(_) => refused = refused.or(Some(line)),
        }
    }
    assert!(writer.wait().unwrap().success());
    println!("{acked} acknowledged, then {refused:?}");
    assert!(acked > 0 && refused.is_some());
    let (store, loss) = open(folder.path(), OnDamage::Rebuild).await;
    assert_eq!(loss, None);
    let held = holds_the_tape(&store).await;
    assert!(acked <= held, "{held} of {acked}");
}

/// A store with one conversation erased and another one there.
async fn with_an_erased_one(folder: &Path) {
    let (store, _) = open(folder, OnDamage::Salvage).await;
    let mut tape = Tape::new();
    store.reset(tape.script.created).await.unwrap();
    tape.put(&store, 200).await;
    let secret = key("tenant", "secret");
    tape.script.exchange(&secret, MARKER);
    store.apply(tape.script.batch()).await.unwrap();
    store.flush().await.unwrap();
    store.erase(&secret).await.unwrap();
    store.flush().await.unwrap();
}

#[tokio::test]
async fn a_purge_goes_on_after_a_crash_at_any_point() {
    for point in [
        StorePoint::Copying,
        StorePoint::Copied,
        StorePoint::Swapped,
        StorePoint::Dropped,
        StorePoint::Cleared,
    ] {
        let folder = tempfile::tempdir().unwrap();
        with_an_erased_one(folder.path()).await;
        std::fs::create_dir(folder.path().join("corrupt-5")).unwrap();
        std::fs::write(folder.path().join("corrupt-5/db"), MARKER).unwrap();
        let what = format!("purge {point:?}");
        let ended = child(this(), folder.path(), &what).wait().unwrap();
        assert!(!ended.success(), "{point:?} was not come by");
        let (store, loss) = open(folder.path(), OnDamage::Salvage).await;
        assert_eq!(loss, None, "{point:?}");
        let sizes = store.sizes().await.unwrap();
        assert_eq!(sizes.events, 400, "{point:?}");
        assert!(sizes.purge_due, "{point:?}");
        assert_eq!(store.last(&key("tenant", "secret")).await, Ok(None));
        store.purge().await.unwrap();
        assert!(!store.sizes().await.unwrap().purge_due);
        assert_eq!(
            grep(folder.path(), MARKER),
            Vec::<std::path::PathBuf>::new()
        );
    }
}

#[tokio::test]
async fn what_is_left_of_a_broken_store_is_brought_over_after_a_crash_at_any_point() {
    for point in [StorePoint::Kept, StorePoint::SetAside, StorePoint::Copied] {
        let folder = tempfile::tempdir().unwrap();
        with_an_erased_one(folder.path()).await;
        std::fs::write(events(folder.path()).join("conf"), [0xa5; 999]).unwrap();
        let what = format!("salvage {point:?}");
        let ended = child(this(), folder.path(), &what).wait().unwrap();
        assert!(!ended.success(), "{point:?} was not come by");
        let (store, loss) = open(folder.path(), OnDamage::Salvage).await;
        let loss = loss.unwrap_or_else(|| panic!("{point:?}: {:?}", files(folder.path())));
        let salvage = loss.salvage.unwrap();
        // What was erased does not come back.
        assert_eq!((salvage.events, salvage.events_lost), (400, 0), "{point:?}");
        assert_eq!(all(&store).await.len() as u64, salvage.events);
        drop(store);
        let (_, loss) = open(folder.path(), OnDamage::Salvage).await;
        assert_eq!(loss, None);
        assert!(files(folder.path()).len() > 3);
    }
}
