//! Tests with damaged files: opening them leads to an intact store, to an empty store that reports the loss, or to a
//! typed error; never to a panic, a hang, or an unreported gap.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod common;

use argosy_conversation_log::sled_store::{
    Injection, Loss, OnDamage, OpenError, Options, StorePoint,
};
use argosy_conversation_log::{LogPosition, SledStore, Store, StoreError};
use common::{NOW, Tape, all, copy, events, files, holds_the_tape, open, options, try_open};
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use testkit::conversation::key;

/// A store with a tape of so many exchanges, closed.
async fn written(exchanges: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path(), OnDamage::Salvage).await;
    let mut tape = Tape::new();
    store.reset(tape.script.created).await.unwrap();
    tape.put(&store, exchanges).await;
    drop(store);
    folder
}

/// Opens a copy of a folder that something was done to: as a view, and as the truth.
async fn opened_after(folder: &TempDir, what: &str, harm: impl Fn(&Path)) {
    let whole = all_events(folder);
    for damage in [OnDamage::Rebuild, OnDamage::Salvage] {
        let copied = tempfile::tempdir().unwrap();
        copy(folder.path(), copied.path());
        harm(&events(copied.path()));
        let (store, loss) = open(copied.path(), damage).await;
        match loss {
            None => {
                let held = holds_the_tape(&store).await;
                // No event is missing without a report.
                assert_eq!(held, whole, "{what}");
            }
            Some(loss) => told(&store, &loss, whole, what).await,
        }
        // It goes on either way.
        let position = store.position().await.unwrap();
        let mut tape = Tape::new();
        if position.created == LogPosition::default().created {
            store.reset(tape.script.created).await.unwrap();
            tape.put(&store, 25).await;
            holds_the_tape(&store).await;
        }
        drop(store);
        let (_, loss) = open(copied.path(), damage).await;
        assert_eq!(loss, None, "{what}");
    }
}

/// What a tape in a folder comes to, known from how it was made.
fn all_events(folder: &TempDir) -> u64 {
    let kept = folder.path().join("count");
    fs::read_to_string(kept).unwrap().parse().unwrap()
}

fn note(folder: &TempDir, events: u64) {
    fs::write(folder.path().join("count"), events.to_string()).unwrap();
}

/// That what was lost was told.
async fn told(store: &SledStore, loss: &Loss, whole: u64, what: &str) {
    assert!(loss.aside.exists(), "{what}");
    let held = all(store).await;
    let Some(salvage) = &loss.salvage else {
        assert!(held.is_empty(), "{what}");
        return;
    };
    assert_eq!(held.len() as u64, salvage.events, "{what}");
    let written = {
        let mut tape = Tape::new();
        tape.write(whole / 2);
        tape.script.batch().entries
    };
    for entry in written {
        if let Some(read) = held.get(&entry.sequence) {
            assert_eq!(*read, (entry.key, entry.event), "{what}");
        }
    }
    let missing = whole - salvage.events;
    println!(
        "{what}: {} of {whole} brought over, {} known to be lost: {}",
        salvage.events, salvage.events_lost, loss.why
    );
    assert!(salvage.events_lost <= missing, "{what}");
}

#[tokio::test]
async fn a_file_that_was_cut_anywhere() {
    let folder = written(600).await;
    note(&folder, 1_200);
    let size = fs::metadata(events(folder.path()).join("db"))
        .unwrap()
        .len();
    let mut random = fastrand::Rng::with_seed(7);
    let some = [1, 2, 7, 8, 100, 511, 512, 4_096, 5_000, 65_536, 600_000];
    let any = (0..10).map(|_| random.u64(1..size));
    for cut in some.into_iter().filter(|k| *k < size).chain(any) {
        opened_after(&folder, &format!("cut by {cut} of {size}"), |events| {
            let db = fs::OpenOptions::new().write(true).open(events.join("db"));
            db.unwrap().set_len(size - cut).unwrap();
        })
        .await;
    }
}

#[tokio::test]
async fn a_page_of_garbage_anywhere() {
    let folder = written(600).await;
    note(&folder, 1_200);
    for seed in 0..12 {
        opened_after(&folder, &format!("garbage {seed}"), |events| {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut bytes = fs::read(events.join("db")).unwrap();
            let at = random.usize(0..bytes.len() - 4_096);
            random.fill(&mut bytes[at..at + 4_096]);
            fs::write(events.join("db"), bytes).unwrap();
        })
        .await;
    }
}

#[tokio::test]
async fn files_that_are_empty_gone_or_something_else() {
    let folder = written(300).await;
    note(&folder, 600);
    let names: Vec<_> = files(&events(folder.path()))
        .iter()
        .map(|file| file.strip_prefix(events(folder.path())).unwrap().to_owned())
        .collect();
    println!("{names:?}");
    for name in names {
        let what = name.display().to_string();
        opened_after(&folder, &format!("{what} empty"), |events| {
            fs::write(events.join(&name), b"").unwrap();
        })
        .await;
        opened_after(&folder, &format!("{what} gone"), |events| {
            fs::remove_file(events.join(&name)).unwrap();
        })
        .await;
        opened_after(&folder, &format!("{what} garbage"), |events| {
            fs::write(events.join(&name), [0xa5; 9_999]).unwrap();
        })
        .await;
        if what == "flushed" {
            // It is ours: that is an error of the folder, and told as one.
            continue;
        }
        opened_after(&folder, &format!("{what} a folder"), |events| {
            fs::remove_file(events.join(&name)).unwrap();
            fs::create_dir(events.join(&name)).unwrap();
        })
        .await;
    }
}

#[tokio::test]
async fn what_was_set_aside_by_a_view_does_not_fill_the_disk() {
    let folder = written(25).await;
    for _ in 0..5 {
        fs::write(events(folder.path()).join("db"), b"").unwrap();
        let (_, loss) = open(folder.path(), OnDamage::Rebuild).await;
        assert!(loss.is_some());
    }
    let aside = fs::read_dir(folder.path()).unwrap();
    let aside = aside.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with("corrupt-")
    });
    assert_eq!(aside.count(), 2);
}

#[tokio::test]
async fn a_folder_has_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, _) = open(folder.path(), OnDamage::Rebuild).await;
    let refused = try_open(folder.path(), OnDamage::Rebuild)
        .await
        .err()
        .unwrap();
    let pid = std::process::id();
    assert!(matches!(&refused, OpenError::Held { pid: Some(of), .. } if *of == pid));
    assert!(refused.to_string().contains(&format!("the process {pid}")));
}

#[tokio::test]
async fn a_disk_that_refuses_is_a_typed_error() {
    let refuses = |at: StorePoint, kind: io::ErrorKind| Options {
        inject: Injection::new(move |point| match point == at {
            true => Err(io::Error::from(kind)),
            false => Ok(()),
        }),
        ..options(OnDamage::Rebuild)
    };
    let folder = tempfile::tempdir().unwrap();
    let open = |options| SledStore::open(folder.path(), NOW, options);
    let read_only = refuses(StorePoint::Taking, io::ErrorKind::ReadOnlyFilesystem);
    let refused = open(read_only).await.err().unwrap();
    assert!(matches!(
        refused,
        OpenError::Store {
            source: StoreError::Disk(_),
            ..
        }
    ));
    for point in [StorePoint::Writing, StorePoint::Flushing] {
        let (store, _) = open(refuses(point, io::ErrorKind::StorageFull))
            .await
            .unwrap();
        let mut tape = Tape::new();
        store.reset(tape.script.created).await.unwrap();
        tape.write(1);
        let first = match store.apply(tape.script.batch()).await {
            Ok(()) => store.flush().await,
            refused => refused,
        };
        assert!(matches!(first, Err(StoreError::Full(_))), "{first:?}");
        // sled does not write again after an error, nor does the store.
        let then = store.position().await;
        assert!(matches!(then, Err(StoreError::Failed(_))), "{then:?}");
    }
    // A purge for which there is no room changes nothing.
    let full = refuses(StorePoint::Copying, io::ErrorKind::StorageFull);
    let (store, _) = open(full).await.unwrap();
    let mut tape = Tape::new();
    store.reset(tape.script.created).await.unwrap();
    tape.put(&store, 100).await;
    assert!(matches!(store.purge().await, Err(StoreError::Full(_))));
    tape.put(&store, 25).await;
    holds_the_tape(&store).await;
}

#[tokio::test]
async fn a_call_that_does_not_come_back_is_a_typed_error() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing is sent before the end.
    let (sender, silent) = std::sync::mpsc::channel::<()>();
    let silent = std::sync::Mutex::new(silent);
    let hangs = Options {
        call_max: Duration::from_secs(2),
        inject: Injection::new(move |point| {
            if point == StorePoint::Writing {
                let _ = silent.lock().unwrap().recv();
            }
            Ok(())
        }),
        ..options(OnDamage::Rebuild)
    };
    let (store, _) = SledStore::open(folder.path(), NOW, hangs).await.unwrap();
    let mut tape = Tape::new();
    store.reset(tape.script.created).await.unwrap();
    tape.write(1);
    for batch in [tape.script.batch(), tape.script.batch()] {
        let refused = store.apply(batch).await;
        assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
    }
    let read = store.position().await;
    assert!(matches!(read, Err(StoreError::Failed(_))), "{read:?}");
    drop(sender);
}

/// For a user with all rights nothing is read-only: then the folder is where none can be made.
#[tokio::test]
async fn a_folder_that_cannot_be_written_is_a_typed_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    let mut places = vec![file.join("store")];
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    let mut permissions = fs::metadata(&closed).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&closed, permissions).unwrap();
    if fs::write(closed.join("probe"), b"").is_err() {
        places.push(closed);
    }
    for place in places {
        let refused = try_open(&place, OnDamage::Salvage).await.err().unwrap();
        assert!(matches!(refused, OpenError::Store { .. }), "{refused}");
    }
}

#[tokio::test]
async fn a_conversation_goes_on_behind_what_was_lost() {
    let folder = written(600).await;
    let db = events(folder.path()).join("db");
    let size = fs::metadata(&db).unwrap().len();
    let file = fs::OpenOptions::new().write(true).open(&db).unwrap();
    file.set_len(size - size / 4).unwrap();
    let (store, loss) = open(folder.path(), OnDamage::Salvage).await;
    let Some(loss) = loss else {
        panic!("{:?}", store.position().await);
    };
    let salvage = loss.salvage.unwrap();
    println!("{salvage:?}");
    let position = store.position().await.unwrap();
    let mut tape = Tape::up_to(1_200);
    tape.script.sequence = position.sequence.max(1_200);
    tape.script.created = position.created;
    let fresh = key("tenant", "fresh");
    tape.script.exchange(&fresh, "later");
    store.apply(tape.script.batch()).await.unwrap();
    store.flush().await.unwrap();
    let events = store.sizes().await.unwrap().events;
    assert_eq!(events, salvage.events + 2);
    drop(store);
    let (store, loss) = open(folder.path(), OnDamage::Salvage).await;
    assert_eq!(loss, None);
    assert_eq!(store.sizes().await.unwrap().events, events);
}
