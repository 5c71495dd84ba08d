//! What files are, by their hashes, remembered so that each range of a large one does not read all of it again.
//!
//! A file is the same as before while its device, inode, size, time of change and time of its inode are: the last cannot be
//! set by a program. Times of files are coarse, so a hash is remembered only once the file has been left alone for a while.
//!
//! *Not* noticed: a change that the file system gives no new time within [`ALONE`]. What is written through a shared map of
//! memory gets its time when the kernel writes it out, and a network or FUSE file system may have times of its own.

use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Files that are remembered: 16 for each that may be on its way out.
const FILES_MAX: usize = 1_024;
/// For how long a file must have been left alone: longer than a step of the clock of any file system, and than a kernel
/// leaves what was written through memory (30 s).
const ALONE: Duration = Duration::from_secs(60);

/// What tells one state of a file from every other.
#[derive(Debug, Clone, Copy, PartialEq)]
struct State {
    file: (u64, u64),
    size: u64,
    changed: (i64, i64),
    inode_changed: (i64, i64),
}

/// The hashes of files, those last read at the end.
#[derive(Debug)]
pub(crate) struct Hashes {
    known: Mutex<VecDeque<(State, String)>>,
    /// For how long a file must have been left alone.
    alone: Duration,
}

impl Default for Hashes {
    fn default() -> Hashes {
        Hashes::after(ALONE)
    }
}

impl Hashes {
    /// Remembers files that have been left alone for so long.
    fn after(alone: Duration) -> Hashes {
        let known = Mutex::default();
        Hashes { known, alone }
    }

    /// SHA-256 of an open file, in hex.
    pub(crate) fn of(&self, file: &mut File) -> io::Result<String> {
        self.of_read(file, read)
    }

    fn of_read(
        &self,
        file: &mut File,
        read: impl FnOnce(&mut File) -> io::Result<String>,
    ) -> io::Result<String> {
        let before = State::of(&file.metadata()?);
        if let Some(hash) = self.known(before) {
            return Ok(hash);
        }
        let now = SystemTime::now();
        let hash = read(file)?;
        if before.is_alone(now, self.alone) && State::of(&file.metadata()?) == before {
            self.remember(before, hash.clone());
        }
        Ok(hash)
    }

    fn known(&self, state: State) -> Option<String> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, hash) = known.iter().rev().find(|(of, _)| *of == state)?;
        Some(hash.clone())
    }

    fn remember(&self, state: State, hash: String) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(of, _)| of.file != state.file);
        if known.len() >= FILES_MAX {
            known.pop_front();
        }
        known.push_back((state, hash));
    }
}

impl State {
    fn of(file: &Metadata) -> State {
        State {
            file: (file.dev(), file.ino()),
            size: file.size(),
            changed: (file.mtime(), file.mtime_nsec()),
            inode_changed: (file.ctime(), file.ctime_nsec()),
        }
    }

    /// Whether the file was last changed so long (`alone`) before `now` that a change from now on has other times.
    fn is_alone(self, now: SystemTime, alone: Duration) -> bool {
        let last = self.changed.0.max(self.inode_changed.0);
        let now = now.duration_since(SystemTime::UNIX_EPOCH);
        now.is_ok_and(|now| now.as_secs().cast_signed() - last > alone.as_secs().cast_signed())
    }
}

fn read(file: &mut File) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut piece = vec![0; super::PIECE];
    file.rewind()?;
    loop {
        match file.read(&mut piece)? {
            0 => break,
            read => digest.update(&piece[..read]),
        }
    }
    let hash = digest.finalize();
    Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// The hash, and whether it was remembered.
    fn of(hashes: &Hashes, path: &Path) -> (String, bool) {
        let mut file = File::open(path).expect("a file");
        let hash = hashes.of(&mut file).expect("a hash");
        let is_known = file.stream_position().expect("a place") == 0;
        (hash, is_known)
    }

    #[test]
    fn a_file_is_read_once_and_again_when_it_has_changed() {
        let folder = std::env::temp_dir().join(format!("argosy-hashes-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let [path, changing] = ["a.txt", "b.txt"].map(|name| folder.join(name));
        fs::write(&path, "one").expect("written");
        fs::write(&changing, "one").expect("written");
        let alone = Duration::from_secs(1);
        let hashes = Hashes::after(alone);
        // Just written, it may be written again within the same step of the clock.
        let (one, _) = of(&hashes, &path);
        assert_eq!(of(&hashes, &path), (one.clone(), false));
        std::thread::sleep(alone * 2);
        assert_eq!(of(&hashes, &path), (one.clone(), false));
        assert_eq!(of(&hashes, &path), (one.clone(), true));
        // What it was while it changed is not known.
        let mut file = File::open(&changing).expect("a file");
        let before = State::of(&file.metadata().expect("a state"));
        let changes = |file: &mut File| {
            read(file).and_then(|hash| fs::write(&changing, "two").map(|()| hash))
        };
        assert_eq!(hashes.of_read(&mut file, changes).expect("a hash"), one);
        assert_eq!(hashes.known(before), None);
        // Another text of the same size, which says that it was written when the first was.
        let written = fs::metadata(&path).and_then(|of| of.modified());
        fs::write(&path, "two").expect("written");
        let file = File::options().write(true).open(&path).expect("a file");
        file.set_modified(written.expect("a time")).expect("set");
        let (two, is_known) = of(&hashes, &path);
        assert!(two != one && !is_known);
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn so_many_files_are_remembered_a_minute_after_they_changed_and_each_once() {
        let hashes = Hashes::default();
        let state = |file: u64, size| State {
            file: (1, file),
            size,
            changed: (0, 0),
            inode_changed: (0, 0),
        };
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let is_alone = [60, 61].map(|seconds| state(0, 1).is_alone(at(seconds), hashes.alone));
        assert_eq!(is_alone, [false, true]);
        hashes.remember(state(0, 1), "old".into());
        hashes.remember(state(0, 2), "new".into());
        assert_eq!(hashes.known(state(0, 1)), None);
        assert_eq!(hashes.known(state(0, 2)).as_deref(), Some("new"));
        (1..=FILES_MAX as u64).for_each(|file| hashes.remember(state(file, 1), "x".into()));
        assert_eq!(hashes.known(state(0, 2)), None);
        assert!(hashes.known(state(1, 1)).is_some());
    }
}
