//! Records which process owns a folder, in a file with the process id. The file is locked for as long as the process
//! has the folder.
//!
//! sled locks its own file too, but the error of this module can name the owner, and its lock remains when sled's
//! folder is replaced. The operating system releases the lock when the process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

const FILE: &str = "owner.pid";
/// What is read of the file at most.
const PID_BYTES_MAX: u64 = 20;

/// The ownership of a folder. When it is dropped, any process may take the folder.
#[derive(Debug)]
pub(super) struct Owner {
    _locked: File,
}

/// Why it is not.
#[derive(Debug)]
pub(super) enum NotOurs {
    /// Another process has the folder. The id is known once that process has written it.
    Held(Option<u32>),
    Disk(io::Error),
}

impl Owner {
    /// Takes the folder.
    pub(super) fn of(folder: &Path) -> Result<Owner, NotOurs> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(folder.join(FILE)).map_err(NotOurs::Disk)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(NotOurs::Held(pid_in(&file))),
            Err(TryLockError::Error(error)) => return Err(NotOurs::Disk(error)),
        }
        write_pid(&mut file).map_err(NotOurs::Disk)?;
        Ok(Owner { _locked: file })
    }
}

fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    writeln!(file, "{}", std::process::id())
}

fn pid_in(file: &File) -> Option<u32> {
    let mut text = String::new();
    file.take(PID_BYTES_MAX).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_owner() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner::of(folder.path()).unwrap();
        let ours = std::process::id();
        match Owner::of(folder.path()) {
            Err(NotOurs::Held(pid)) => assert_eq!(pid, Some(ours)),
            other => panic!("{other:?}"),
        }
        drop(owner);
        std::fs::write(folder.path().join(FILE), b"\xff garbage of a longer text").unwrap();
        Owner::of(folder.path()).unwrap();
        let text = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert_eq!(text, format!("{ours}\n"));
        let nowhere = Owner::of(&folder.path().join("none"));
        assert!(matches!(nowhere, Err(NotOurs::Disk(_))));
    }
}
