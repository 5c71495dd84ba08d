//! Helpers of the tests of the store on disk: a stream of events that is the same in every run, and functions that
//! inspect files.
#![expect(
    dead_code,
    clippy::unwrap_used,
    reason = "each test file uses a part of it, and a test that cannot go on panics"
)]

use argosy_conversation_log::sled_store::{Loss, OnDamage, OpenError, Options};
use argosy_conversation_log::{ConversationKey, LogEvent, SledStore, Store};
use envelope::UnixMs;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testkit::conversation::{Script, key};

/// When the tests are.
pub(crate) const NOW: UnixMs = UnixMs(1_700_000_000_000);
/// Conversations that a stream goes round.
pub(crate) const CONVERSATIONS: u64 = 7;

/// A stream of exchanges that is the same each time, as far as it was written.
pub(crate) struct Tape {
    pub(crate) script: Script,
    exchanges: u64,
}

impl Tape {
    pub(crate) fn new() -> Tape {
        Tape {
            script: Script::default(),
            exchanges: 0,
        }
    }

    /// The tape up to a sequence, with nothing pending.
    pub(crate) fn up_to(sequence: u64) -> Tape {
        let mut tape = Tape::new();
        while tape.script.sequence < sequence {
            tape.write(1);
        }
        assert_eq!(tape.script.sequence, sequence, "a batch was torn");
        tape.script.batch();
        tape
    }

    /// Writes so many exchanges.
    pub(crate) fn write(&mut self, exchanges: u64) {
        for _ in 0..exchanges {
            let text = format!("exchange {} {}", self.exchanges, "lorem ".repeat(80));
            let to = conversation(self.exchanges);
            self.script.exchange(&to, &text);
            self.exchanges += 1;
        }
    }

    /// Writes them and puts them into a store, in batches of 25.
    pub(crate) async fn put(&mut self, store: &dyn Store, exchanges: u64) {
        for _ in 0..exchanges / 25 {
            self.write(25);
            store.apply(self.script.batch()).await.unwrap();
        }
        store.flush().await.unwrap();
    }
}

pub(crate) fn conversation(n: u64) -> ConversationKey {
    key("tenant", &format!("c{}", n % CONVERSATIONS))
}

/// Short limits: what hangs is to be seen.
pub(crate) fn options(damage: OnDamage) -> Options {
    Options {
        damage,
        silence: Duration::from_secs(20),
        ..Options::default()
    }
}

pub(crate) async fn open(folder: &Path, damage: OnDamage) -> (SledStore, Option<Loss>) {
    try_open(folder, damage).await.unwrap()
}

pub(crate) async fn try_open(
    folder: &Path,
    damage: OnDamage,
) -> Result<(SledStore, Option<Loss>), OpenError> {
    SledStore::open(folder, NOW, options(damage)).await
}

/// All events of a store.
pub(crate) async fn all(store: &dyn Store) -> BTreeMap<u64, (ConversationKey, LogEvent)> {
    let mut all = BTreeMap::new();
    for (key, _) in store.list(None, None, 1_000).await.unwrap() {
        let mut after = 0;
        loop {
            let page = store.scan(&key, after, 256).await.unwrap();
            let Some(last) = page.last() else { break };
            after = last.sequence;
            all.extend(
                page.into_iter()
                    .map(|r| (r.sequence, (key.clone(), r.event))),
            );
        }
    }
    all
}

/// That a store holds a tape up to its position, all of it and nothing else; how far that is.
pub(crate) async fn holds_the_tape(store: &dyn Store) -> u64 {
    let position = store.position().await.unwrap();
    let mut tape = Tape::new();
    while tape.script.sequence < position.sequence {
        tape.write(1);
    }
    let written = tape.script.batch();
    assert_eq!(
        written.position.sequence, position.sequence,
        "a batch was torn"
    );
    let held = all(store).await;
    assert_eq!(held.len(), written.entries.len());
    for entry in written.entries {
        assert_eq!(held[&entry.sequence], (entry.key, entry.event));
    }
    position.sequence
}

/// The files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The files that a text is in.
pub(crate) fn grep(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = files(folder);
    found.retain(|path| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(text.len()).any(|w| w == text.as_bytes())
    });
    found
}

/// The folder of sled's that counts.
pub(crate) fn events(folder: &Path) -> PathBuf {
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut events: Vec<PathBuf> = names
        .filter(|path| path.to_string_lossy().contains("/events-"))
        .collect();
    assert_eq!(events.len(), 1, "{events:?}");
    events.pop().unwrap()
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&file, target).unwrap();
    }
}
