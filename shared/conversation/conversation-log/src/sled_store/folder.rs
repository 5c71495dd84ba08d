//! The folder of a store. sled's folders in it are numbered *generations*, one of which is current.
//!
//! | name | what |
//! |---|---|
//! | `owner.pid` | the process that owns the folder |
//! | `events-<n>` | sled's folder; the highest `n` is current, a lower one is about to be deleted |
//! | `copy-<n>` | a folder that is being written and is not current yet |
//! | `whole-<n>` | a copy of a generation from before sled opened it, because opening may damage it |
//! | `corrupt-<unix ms>` | a folder that was found broken |
//!
//! A single rename makes a folder current, and after a crash the names show what was in progress.

use envelope::UnixMs;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

const EVENTS: &str = "events-";
const COPY: &str = "copy-";
const WHOLE: &str = "whole-";
const CORRUPT: &str = "corrupt-";

/// The folder of a store.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes it where it is not there.
    pub(super) fn at(path: &Path) -> io::Result<Folder> {
        fs::create_dir_all(path)?;
        Ok(Folder {
            path: path.to_owned(),
        })
    }

    pub(super) fn events(&self, generation: u64) -> PathBuf {
        self.path.join(format!("{EVENTS}{generation}"))
    }

    pub(super) fn copy(&self, generation: u64) -> PathBuf {
        self.path.join(format!("{COPY}{generation}"))
    }

    fn whole(&self, generation: u64) -> PathBuf {
        self.path.join(format!("{WHOLE}{generation}"))
    }

    /// Deletes what a crash has left half done; the generation that counts, if there is one.
    pub(super) fn tidy(&self) -> io::Result<Option<u64>> {
        for copy in self.numbered(COPY)? {
            fs::remove_dir_all(self.copy(copy))?;
        }
        for whole in self.numbered(WHOLE)? {
            self.restore(whole)?;
        }
        let mut generations = self.numbered(EVENTS)?;
        let counts = generations.pop();
        for older in generations {
            fs::remove_dir_all(self.events(older))?;
        }
        self.sync()?;
        Ok(counts)
    }

    /// From now on this generation counts, which was a copy.
    pub(super) fn settle(&self, generation: u64) -> io::Result<()> {
        sync_all_in(&self.copy(generation))?;
        fs::rename(self.copy(generation), self.events(generation))?;
        self.sync()
    }

    /// Deletes a generation.
    pub(super) fn remove(&self, generation: u64) -> io::Result<()> {
        fs::remove_dir_all(self.events(generation))?;
        self.sync()
    }

    /// Keeps a copy of a generation until it was found intact: sled truncates files that it cannot read.
    pub(super) fn keep(&self, generation: u64) -> io::Result<()> {
        let copy = self.copy(generation);
        copy_all(&self.events(generation), &copy)?;
        sync_all_in(&copy)?;
        fs::rename(copy, self.whole(generation))?;
        self.sync()
    }

    /// The generation was found intact. The name of its copy is removed first: half of it must not be restored.
    pub(super) fn let_go(&self, generation: u64) -> io::Result<()> {
        let whole = self.whole(generation);
        if whole.exists() {
            fs::rename(whole, self.copy(generation))?;
            self.sync()?;
            fs::remove_dir_all(self.copy(generation))?;
        }
        Ok(())
    }

    /// Puts back what was kept of a generation.
    fn restore(&self, generation: u64) -> io::Result<()> {
        let (whole, events) = (self.whole(generation), self.events(generation));
        if whole.exists() {
            if events.exists() {
                fs::remove_dir_all(&events)?;
            }
            fs::rename(whole, events)?;
            self.sync()?;
        }
        Ok(())
    }

    /// Renames a generation that is broken, as it was kept if it was, so that it does not count any more.
    pub(super) fn set_aside(&self, generation: u64, now: UnixMs) -> io::Result<PathBuf> {
        self.restore(generation)?;
        let mut at = now.0;
        while self.path.join(format!("{CORRUPT}{at}")).exists() {
            at += 1;
        }
        let aside = self.path.join(format!("{CORRUPT}{at}"));
        fs::rename(self.events(generation), &aside)?;
        self.sync()?;
        Ok(aside)
    }

    /// What was set aside last.
    pub(super) fn newest_aside(&self) -> io::Result<Option<PathBuf>> {
        let newest = self.numbered(CORRUPT)?.pop();
        Ok(newest.map(|at| self.path.join(format!("{CORRUPT}{at}"))))
    }

    /// Deletes what was set aside, but for the newest so many.
    pub(super) fn remove_aside(&self, but: usize) -> io::Result<()> {
        let all = self.numbered(CORRUPT)?;
        for at in &all[..all.len().saturating_sub(but)] {
            fs::remove_dir_all(self.path.join(format!("{CORRUPT}{at}")))?;
        }
        self.sync()
    }

    /// Bytes of all files.
    pub(super) fn bytes(&self) -> io::Result<u64> {
        bytes_in(&self.path)
    }

    /// The numbers behind this name, in order.
    fn numbered(&self, name: &str) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let file = entry?.file_name();
            let number = file.to_str().and_then(|file| file.strip_prefix(name));
            numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Puts the names in the folder on disk.
    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

/// Copies a folder with all that is in it.
fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_all(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Puts all files and folders below on disk.
fn sync_all_in(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_all_in(&entry.path())?;
        } else {
            File::open(entry.path())?.sync_all()?;
        }
    }
    File::open(path)?.sync_all()
}

/// Files may go while they are counted.
fn bytes_in(path: &Path) -> io::Result<u64> {
    let gone = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Ok(0),
        _ => Err(error),
    };
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return gone(error),
    };
    let mut bytes = 0;
    for entry in entries {
        let entry = entry?;
        bytes += match entry.metadata() {
            Ok(about) if about.is_dir() => bytes_in(&entry.path())?,
            Ok(about) => about.len(),
            Err(error) => gone(error)?,
        };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of folders with these names, each with its name in a file, after a crash left them.
    fn left_of(names: &[&str]) -> (Option<u64>, Vec<(String, String)>) {
        let path = tempfile::tempdir().unwrap();
        for name in names {
            fs::create_dir(path.path().join(name)).unwrap();
            fs::write(path.path().join(name).join("db"), name).unwrap();
        }
        let counts = Folder::at(path.path()).unwrap().tidy().unwrap();
        let mut left: Vec<(String, String)> = fs::read_dir(path.path())
            .unwrap()
            .map(|entry| {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                (name, fs::read_to_string(path.join("db")).unwrap())
            })
            .collect();
        left.sort();
        (counts, left)
    }

    #[test]
    fn the_names_tell_what_was_going_on() {
        let is = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(left_of(&[]), (None, vec![]));
        // A copy that was not finished, or what was kept of a generation that was found whole.
        let left = left_of(&["events-3", "copy-3", "copy-4"]);
        assert_eq!(left, (Some(3), vec![is("events-3", "events-3")]));
        // A copy counts, and the one before is still there.
        let left = left_of(&["events-9", "events-10"]);
        assert_eq!(left, (Some(10), vec![is("events-10", "events-10")]));
        // sled may have been at it.
        let left = left_of(&["events-3", "whole-3", "corrupt-5"]);
        let both = vec![is("corrupt-5", "corrupt-5"), is("events-3", "whole-3")];
        assert_eq!(left, (Some(3), both));
        let left = left_of(&["whole-3"]);
        assert_eq!(left, (Some(3), vec![is("events-3", "whole-3")]));
        let left = left_of(&["events-none", "corrupt-5"]);
        assert_eq!(left.0, None);
        assert_eq!(left.1.len(), 2);
    }
}
