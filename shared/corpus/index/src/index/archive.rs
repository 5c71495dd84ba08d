//! Packs the committed index into one sequence of bytes, and unpacks it: the snapshot that a replica makes for others.
//!
//! Files of an index never change once a commit names them, so an archive keeps them by hard links while the writer
//! goes on. The bytes are the length of a header, the header in JSON, the files one after the other, and the SHA-256 of
//! all of it. *Not* a long-term format: a process that cannot read an archive replays the stream.

use super::vectors::VectorSource;
use super::{Index, Payload, schema};
use crate::Error;
use search::StreamPosition;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Component, Path, PathBuf};
use tantivy::IndexMeta;

/// The form of these bytes.
const FORM: u32 = 1;
/// Longest header, in bytes: some thousand file names.
const HEADER_BYTES_MAX: u32 = 1024 * 1024;
/// How often an index that drops files just now is looked at again.
const TRIES: u32 = 5;
/// Where an archive holds its files, and where one is unpacked, beside the index.
const HELD: &str = "archive-out";
const UNPACKED: &str = "archive-in";
/// Where the index goes that another one takes the place of.
const REPLACED: &str = "archive-old";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    form: u32,
    making: String,
    position: StreamPosition,
    /// Path below the index, with `/`, and bytes.
    files: Vec<(String, u64)>,
}

/// A description of how an index is made: schema and vectors. Archives that were made in another way do not fit.
pub fn making(vectors: &VectorSource) -> String {
    let vectors = match vectors.name_and_dims() {
        Some((by, dims)) => format!("{by} {dims}"),
        None => "words".into(),
    };
    format!("{} {vectors}", schema::FOLDER)
}

/// The files of an index at one commit, kept until this value is dropped.
pub struct Archive {
    header: Header,
    held: PathBuf,
}

impl Drop for Archive {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.held);
    }
}

impl Index {
    /// Keeps the files that the last commit names; `dir` is the folder in which the index was opened. `None` when there
    /// was no commit yet. Blocking, for milliseconds.
    pub fn archive(&self, dir: &Path) -> Result<Option<Archive>, Error> {
        for _ in 0..TRIES {
            let before = self.inner.load_metas()?;
            let payload = before.payload.as_deref();
            let payload = payload.and_then(|text| serde_json::from_str::<Payload>(text).ok());
            let Some(payload) = payload.filter(|_| !self.is_outdated()) else {
                return Ok(None);
            };
            let held = self.hold(dir, &before, payload);
            // Files go only once nothing names them: what is named still was there all the time. What
            // is not may have gone in between, and what took its place is named by now.
            if to_json(&self.inner.load_metas()?) == to_json(&before) {
                return held.map(Some);
            }
        }
        let why = format!("it changed {TRIES} times while it was held");
        Err(Error::index(why))
    }

    fn hold(&self, dir: &Path, metas: &IndexMeta, payload: Payload) -> Result<Archive, Error> {
        let files = metas.list_segment_files();
        let mut names: BTreeSet<String> = files.iter().filter_map(|f| slashed(f)).collect();
        let (from, held) = (dir.join(schema::FOLDER), dir.join(HELD));
        // A segment names files that it may do without.
        names.retain(|name| from.join(name).exists());
        let managed: BTreeSet<&str> = names
            .iter()
            .map(String::as_str)
            .chain(["meta.json"])
            .collect();
        let managed = to_json(&managed);
        if let Some(layout) = &payload.vectors {
            let files = layout.files().into_iter().filter_map(|f| slashed(&f));
            let words = (layout.fitted > 0).then(|| super::vectors::words_file(layout.generation));
            let words = words.and_then(|file| slashed(&file));
            names.extend(files.chain(words).map(|file| format!("vectors/{file}")));
        }
        remove(&held)?;
        make_folder(&held.join("vectors"))?;
        let mut files = Vec::new();
        for name in &names {
            let (source, target) = (from.join(name), held.join(name));
            fs::hard_link(&source, &target)
                .or_else(|error| match error.kind() {
                    io::ErrorKind::NotFound => Err(error),
                    // A file system without links.
                    _ => fs::copy(&source, &target).map(|_| ()),
                })
                .map_err(Error::at(&source))?;
            files.push((name.clone(), size(&target)?));
        }
        for (name, text) in [(".managed.json", managed), ("meta.json", to_json(metas))] {
            let target = held.join(name);
            fs::write(&target, &text).map_err(Error::at(&target))?;
            files.push((name.to_owned(), text.len() as u64));
        }
        let header = Header {
            form: FORM,
            making: making(&self.vectors.source),
            position: payload.position,
            files,
        };
        Ok(Archive { header, held })
    }
}

impl Archive {
    /// The position of the index in the stream.
    pub fn position(&self) -> &StreamPosition {
        &self.header.position
    }

    /// The size of the index's files in bytes.
    pub fn bytes(&self) -> u64 {
        self.header.files.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Writes the archive to `out`. Blocking.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), Error> {
        let mut out = Summed::new(out);
        let header = to_json(&self.header);
        let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
        out.write_all(&length.to_le_bytes())
            .and_then(|()| out.write_all(header.as_bytes()))
            .map_err(Error::at(&self.held))?;
        for (name, bytes) in &self.header.files {
            let path = self.held.join(name);
            let file = File::open(&path).map_err(Error::at(&path))?;
            let copied = io::copy(&mut file.take(*bytes), &mut out).map_err(Error::at(&path))?;
            if copied != *bytes {
                return Err(unfit(format!("`{name}` got shorter")));
            }
        }
        let Summed { inner, sum } = out;
        inner
            .write_all(&sum.finalize())
            .and_then(|()| inner.flush())
            .map_err(Error::at(&self.held))
    }
}

/// An archive that was read completely and fits, in a folder beside the index.
pub struct UnpackedArchive {
    dir: PathBuf,
    position: StreamPosition,
}

impl UnpackedArchive {
    /// Reads an archive into a folder beside the index of `dir`. An archive is refused when it was made in another way
    /// or from another stream, or when a byte is wrong. Blocking.
    pub fn read(
        from: &mut dyn Read,
        dir: &Path,
        making: &str,
        stream: &str,
    ) -> Result<UnpackedArchive, Error> {
        let into = dir.join(UNPACKED);
        remove(&into)?;
        make_folder(&into.join("vectors"))?;
        let mut from = Summed::new(from);
        let header = read_header(&mut from)?;
        if (header.form, header.making.as_str()) != (FORM, making) {
            return Err(unfit(format!("it is of `{}`", header.making)));
        }
        if header.position.stream != stream {
            return Err(unfit(format!("it is of {}", header.position.stream)));
        }
        for (name, bytes) in &header.files {
            if !is_below(name) {
                return Err(unfit(format!("a file `{name}`")));
            }
            let path = into.join(name);
            let mut file = BufWriter::new(File::create(&path).map_err(Error::at(&path))?);
            let copied =
                io::copy(&mut (&mut from).take(*bytes), &mut file).map_err(Error::at(&path))?;
            if copied != *bytes {
                return Err(unfit("it ends too soon"));
            }
            let file = file
                .into_inner()
                .map_err(|e| Error::at(&path)(e.into_error()))?;
            file.sync_all().map_err(Error::at(&path))?;
        }
        let Summed { inner, sum } = from;
        let mut said = [0; 32];
        inner.read_exact(&mut said).map_err(Error::at(&into))?;
        if <[u8; 32]>::from(sum.finalize()) != said {
            return Err(unfit("a byte of it is wrong"));
        }
        for folder in [into.join("vectors"), into] {
            sync(&folder)?;
        }
        Ok(UnpackedArchive {
            dir: dir.to_owned(),
            position: header.position,
        })
    }

    /// Moves the unpacked index to where [`Index::open`] finds it, in place of the old one; no process may have the old
    /// one open. A crash during the move leaves no index, and the stream is replayed.
    pub fn put_in_place(self) -> Result<StreamPosition, Error> {
        let (index, old) = (self.dir.join(schema::FOLDER), self.dir.join(REPLACED));
        remove(&old)?;
        if index.exists() {
            fs::rename(&index, &old).map_err(Error::at(&index))?;
        }
        fs::rename(self.dir.join(UNPACKED), &index).map_err(Error::at(&index))?;
        sync(&self.dir)?;
        remove(&old)?;
        Ok(self.position)
    }
}

/// Removes the files that a crash has left beside the index of `dir`.
pub fn sweep(dir: &Path) -> Result<(), Error> {
    [HELD, UNPACKED, REPLACED]
        .iter()
        .try_for_each(|name| remove(&dir.join(name)))
}

fn read_header(from: &mut impl Read) -> Result<Header, Error> {
    let ends = |_| unfit("it ends too soon");
    let mut length = [0; 4];
    from.read_exact(&mut length).map_err(ends)?;
    let length = u32::from_le_bytes(length);
    if length > HEADER_BYTES_MAX {
        return Err(unfit(format!("its header has {length} bytes")));
    }
    let mut text = vec![0; length as usize];
    from.read_exact(&mut text).map_err(ends)?;
    serde_json::from_slice(&text).map_err(|e| unfit(format!("its header: {e}")))
}

/// What passes through, and its sum.
struct Summed<T> {
    inner: T,
    sum: Sha256,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Summed<T> {
        Summed {
            inner,
            sum: Sha256::new(),
        }
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buf)?;
        self.sum.update(&buf[..read]);
        Ok(read)
    }
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buf)?;
        self.sum.update(&buf[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Whether a name stays below the folder that it is put into.
fn is_below(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

fn slashed(path: &Path) -> Option<String> {
    path.to_str().map(|path| path.replace('\\', "/"))
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn unfit(why: impl std::fmt::Display) -> Error {
    Error::index(format!("the archive does not fit: {why}"))
}

fn size(path: &Path) -> Result<u64, Error> {
    fs::metadata(path)
        .map(|meta| meta.len())
        .map_err(Error::at(path))
}

fn make_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::at(path))
}

fn sync(folder: &Path) -> Result<(), Error> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(Error::at(folder))
}

fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::at(path)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
