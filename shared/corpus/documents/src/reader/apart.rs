//! Reads files in a process of its own, which may fail, take too much memory or never end without anything else being
//! lost: readers of formats work on what anybody may have made.
//!
//! The process is this program once more. It takes files at its input, one after the other, and answers each at its
//! output: a length of four bytes, the lowest first, and JSON. It ends when its input does. *Not* here: the limits of
//! its memory, which the program sets for itself before it calls [`serve`].

use super::archive::Attachments;
use super::{File, Format, SkipReason, mail, outside, unreadable, whole_here};
use crate::document::{Document, sha256_hex};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Processes that wait for a file; more than these end after theirs.
const IDLE_MAX: usize = 8;
/// Files that one process reads before another takes its place: what it keeps of them goes with it.
const FILES_MAX: u32 = 500;
/// Most bytes of a question or an answer: JSON may write each byte of a text as six.
const FRAME_BYTES_MAX: u32 = 512 << 20;
/// The exit code of a process that gave up a file because it took too long.
pub const TOO_SLOW: i32 = 75;
/// The signals of somebody who ends processes: hang-up, interrupt, terminate.
const STOPPED: [i32; 3] = [1, 2, 15];

/// The program that reads files, and the limits that it sets for itself.
#[derive(Debug)]
pub struct Apart {
    /// The program.
    pub program: PathBuf,
    /// What it is called with.
    pub arguments: Vec<OsString>,
    /// How long it may read one file.
    pub patience: Duration,
    /// Memory that it may take, in MiB.
    pub memory_mib: u64,
}

static APART: OnceLock<Apart> = OnceLock::new();
static IDLE: Mutex<Vec<Reader>> = Mutex::new(Vec::new());

/// Has files read by this program from now on. Only the first call counts.
pub fn read_apart(apart: Apart) {
    let _ = APART.set(apart);
}

/// What is asked; the bytes of the file follow.
#[derive(Serialize, Deserialize)]
struct Asked {
    file: File,
    bytes: u64,
    wanted: Wanted,
    /// Where programs work on it.
    folder: Option<PathBuf>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Wanted {
    Document,
    Attachments,
}

/// A document as [`Document::to_json`] writes it, and what was left out of it; or why there is none.
type Answer = Result<(String, Option<SkipReason>), SkipReason>;

/// Reads a file that is one document: in a process of its own, where there is a program for it. Pages that are pictures
/// are recognised in a second go, so that what has a text is read within the limits of all files.
pub(super) fn whole(
    bytes: &[u8],
    file: File,
) -> Result<(Document, Option<SkipReason>), SkipReason> {
    let _reading = Reading::begun(&file.source);
    let scan = File {
        format: Format::Scan,
        ..file.clone()
    };
    let is_inside = file.named_at > 0;
    let read = once(bytes, file);
    let is_scan = matches!(
        &read,
        Err(SkipReason::NoText) | Ok((_, Some(SkipReason::NoText)))
    );
    if !is_scan || is_inside || !outside::reads(Format::Scan) {
        return read;
    }
    match (read, once(bytes, scan)) {
        (Ok((document, _)), Err(reason)) => {
            let left_out = match reason {
                // What is missing here may be there the next time.
                SkipReason::Program(_) => reason,
                reason => SkipReason::Partial(format!("pages without a text: {reason}")),
            };
            Ok((document, Some(left_out)))
        }
        (_, recognised) => recognised,
    }
}

fn once(bytes: &[u8], file: File) -> Result<(Document, Option<SkipReason>), SkipReason> {
    let is_plain = file.format.seen(bytes).is_plain();
    let (mut document, left_out) = match APART.get().filter(|_| !is_plain) {
        None => whole_here(bytes, file)?,
        Some(apart) => {
            let (json, left_out): (String, _) = asked(apart, bytes, &file, Wanted::Document)?;
            let document = Document::from_json(json.as_bytes(), &file.source, &file.tenant)?;
            (document, left_out)
        }
    };
    document.hash = sha256_hex(bytes);
    Ok((document, left_out))
}

/// A file while it is read.
struct Reading(u64);

/// What is read: its number, its source, and since when.
static READING: Mutex<Vec<(u64, String, Instant)>> = Mutex::new(Vec::new());

impl Reading {
    fn begun(source: &str) -> Reading {
        let mut all = reading();
        let number = all.last().map_or(0, |(number, ..)| number + 1);
        all.push((number, source.to_owned(), Instant::now()));
        Reading(number)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        reading().retain(|(number, ..)| *number != self.0);
    }
}

fn reading() -> MutexGuard<'static, Vec<(u64, String, Instant)>> {
    READING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The file that this process has been reading for longest, and for how long.
pub fn slowest() -> Option<(String, Duration)> {
    let all = reading();
    all.first()
        .map(|(_, source, begun)| (source.clone(), begun.elapsed()))
}

/// The attachments of a message.
pub(super) fn attachments(bytes: &[u8], file: &File) -> Result<Attachments, SkipReason> {
    match APART.get() {
        Some(apart) => asked(apart, bytes, file, Wanted::Attachments),
        None => mail::attachments(bytes, file),
    }
}

/// What a process answers.
fn asked<T: DeserializeOwned>(
    apart: &Apart,
    bytes: &[u8],
    file: &File,
    wanted: Wanted,
) -> Result<T, SkipReason> {
    let waiting = idle().pop();
    let answered = match waiting.map(|reader| reader.ask(bytes, file, wanted)) {
        Some(Ok(answered)) => Ok(answered),
        Some(Err(Some(status))) if status.code() == Some(TOO_SLOW) => Err(Some(status)),
        // What else happened to a process since its last file is no fault of this one.
        _ => Reader::start(apart)
            .map_err(|error| {
                SkipReason::Unreadable(format!("no process can be started to read it: {error}"))
            })?
            .ask(bytes, file, wanted),
    };
    let (answer, reader) = answered.map_err(|status| ended(status, apart))?;
    if reader.files < FILES_MAX && idle().len() < IDLE_MAX {
        idle().push(reader);
    }
    answer
}

fn idle() -> MutexGuard<'static, Vec<Reader>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process that reads.
struct Reader {
    child: Child,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
    files: u32,
}

impl Reader {
    fn start(apart: &Apart) -> io::Result<Reader> {
        let mut child = Command::new(&apart.program)
            .args(&apart.arguments)
            // What ends this process with Ctrl-C is not for the file that is read: that is put back, or read to its end.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Reader {
            child,
            input: BufWriter::new(input),
            output: BufReader::new(output),
            files: 0,
        })
    }

    /// The answer, and the process for the next file; or the code with which it has ended.
    fn ask<T: DeserializeOwned>(
        mut self,
        bytes: &[u8],
        file: &File,
        wanted: Wanted,
    ) -> Result<(Result<T, SkipReason>, Reader), Option<ExitStatus>> {
        // It is made here, and goes here also when the kernel ends that process in the middle.
        let folder = file.format.is_outside().then(tempfile::tempdir);
        let folder = match folder.transpose() {
            Ok(folder) => folder,
            Err(error) => return Ok((Err(unreadable(error)), self)),
        };
        let at = folder.as_ref().map(|folder| folder.path().to_owned());
        match self.answer(bytes, file, wanted, at.clone()) {
            Ok(answer) => {
                self.files += 1;
                Ok((answer, self))
            }
            Err(_) => {
                // A process that is there, but does not say what it should, has to go.
                let _ = self.child.kill();
                let ended = self.child.wait().ok();
                at.iter().for_each(|folder| outside::end_in(folder));
                Err(ended)
            }
        }
    }

    fn answer<T: DeserializeOwned>(
        &mut self,
        bytes: &[u8],
        file: &File,
        wanted: Wanted,
        folder: Option<PathBuf>,
    ) -> io::Result<Result<T, SkipReason>> {
        let asked = Asked {
            file: file.clone(),
            bytes: bytes.len() as u64,
            wanted,
            folder,
        };
        write_frame(&mut self.input, &serde_json::to_vec(&asked)?)?;
        self.input.write_all(bytes)?;
        self.input.flush()?;
        let answer = read_frame(&mut self.output)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(serde_json::from_slice(&answer)?)
    }
}

/// Why a process did not answer.
fn ended(status: Option<ExitStatus>, apart: &Apart) -> SkipReason {
    let signal = status.and_then(|status| status.signal());
    if signal.is_some_and(|signal| STOPPED.contains(&signal)) {
        return SkipReason::Unreadable("the process that read it was told to stop".into());
    }
    SkipReason::OverLimits(match status.and_then(|status| status.code()) {
        Some(TOO_SLOW) => format!(
            "it took longer than {:?} (`indexer.read_timeout`)",
            apart.patience
        ),
        _ => format!(
            "it needed more than {} MiB of memory (`indexer.read_memory_mib`), or its reader failed on it",
            apart.memory_mib
        ),
    })
}

impl Drop for Reader {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the files of `input`, and answers at `output`, until there are no more. `until` is told by when a file has to
/// be read, and that it is. Besides `patience` it has the time that programs outside may take, who keep to it
/// themselves.
pub fn serve(
    mut input: impl Read,
    mut output: impl Write,
    patience: Duration,
    until: impl Fn(Option<Instant>),
) -> io::Result<()> {
    while let Some(asked) = read_frame(&mut input)? {
        let asked: Asked = serde_json::from_slice(&asked)?;
        let mut bytes = Vec::new();
        input.by_ref().take(asked.bytes).read_to_end(&mut bytes)?;
        let patience = patience + outside::patience(asked.file.format);
        until(Some(Instant::now() + patience));
        outside::work_in(asked.folder);
        let answer = match asked.wanted {
            Wanted::Document => {
                let read = whole_here(&bytes, asked.file);
                drop(bytes);
                let answer: Answer = read.map(|(document, left_out)| {
                    let json = String::from_utf8_lossy(&document.to_json()).into_owned();
                    (json, left_out)
                });
                serde_json::to_vec(&answer)?
            }
            Wanted::Attachments => serde_json::to_vec(&mail::attachments(&bytes, &asked.file))?,
        };
        until(None);
        write_frame(&mut output, &answer)?;
        output.flush()?;
    }
    Ok(())
}

fn write_frame(output: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len())
        .ok()
        .filter(|n| *n <= FRAME_BYTES_MAX);
    let length = length.ok_or_else(|| io::Error::other("a frame is too long"))?;
    output.write_all(&length.to_le_bytes())?;
    output.write_all(bytes)
}

/// The next frame; `None` at the end.
fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_le_bytes(length);
    if length > FRAME_BYTES_MAX {
        return Err(io::Error::other("a frame is too long"));
    }
    let mut bytes = Vec::new();
    input
        .by_ref()
        .take(u64::from(length))
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 == u64::from(length) {
        true => Ok(Some(bytes)),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::TenantId;

    /// What a process says to these files, one after the other.
    fn said(files: &[(&str, &[u8])]) -> Vec<Answer> {
        let (mut input, mut output) = (Vec::new(), Vec::new());
        for (source, bytes) in files {
            let asked = Asked {
                file: File::named(source, &TenantId::default_tenant()).unwrap(),
                bytes: bytes.len() as u64,
                wanted: Wanted::Document,
                folder: None,
            };
            write_frame(&mut input, &serde_json::to_vec(&asked).unwrap()).unwrap();
            input.extend_from_slice(bytes);
        }
        serve(&input[..], &mut output, Duration::from_secs(60), |_| {}).unwrap();
        let mut output = &output[..];
        std::iter::from_fn(|| read_frame(&mut output).unwrap())
            .map(|answer| serde_json::from_slice(&answer).unwrap())
            .collect()
    }

    #[test]
    fn what_is_said_is_what_is_read_here() {
        let tenant = TenantId::default_tenant();
        let lease = crate::reader::tests::sample("lease.docx");
        let files = [
            ("a/lease.docx", &lease[..]),
            ("b.html", b"<p>two"),
            ("c.pdf", b"none"),
            ("d.html", b"<p>four"),
        ];
        for ((source, bytes), said) in files.iter().zip(said(&files)) {
            let here = whole_here(bytes, File::named(source, &tenant).unwrap());
            let said = said.map(|(json, left_out)| {
                let mut document = Document::from_json(json.as_bytes(), source, &tenant).unwrap();
                document.hash.clear();
                (document, left_out)
            });
            assert_eq!(said, here, "{source}");
        }
        assert_eq!(said(&files).len(), files.len());
    }

    #[test]
    fn attachments_come_with_their_bytes() {
        let bytes = crate::reader::tests::sample("crane.eml");
        let asked = Asked {
            file: File::named("a.eml", &TenantId::default_tenant()).unwrap(),
            bytes: bytes.len() as u64,
            wanted: Wanted::Attachments,
            folder: None,
        };
        let (mut input, mut output) = (Vec::new(), Vec::new());
        write_frame(&mut input, &serde_json::to_vec(&asked).unwrap()).unwrap();
        input.extend_from_slice(&bytes);
        serve(&input[..], &mut output, Duration::from_secs(60), |_| {}).unwrap();
        let said = read_frame(&mut &output[..]).unwrap().unwrap();
        let said: Result<Attachments, SkipReason> = serde_json::from_slice(&said).unwrap();
        let said = said.unwrap();
        assert_eq!(said.all.len(), 4);
        assert_eq!(said.all[1].bytes, b"\x89PNG");
        assert_eq!(Ok(said), mail::attachments(&bytes, &asked.file));
    }

    #[test]
    fn who_stops_a_process_gives_no_file_up() {
        let apart = Apart {
            program: "argosy".into(),
            arguments: Vec::new(),
            patience: Duration::from_secs(1),
            memory_mib: 128,
        };
        let code = |code: i32| ExitStatus::from_raw(code << 8);
        for (status, said) in [
            (ExitStatus::from_raw(15), "unreadable"),
            (ExitStatus::from_raw(2), "unreadable"),
            (ExitStatus::from_raw(6), "over_limits"),
            (ExitStatus::from_raw(9), "over_limits"),
            (code(TOO_SLOW), "over_limits"),
            (code(101), "over_limits"),
        ] {
            let reason = ended(Some(status), &apart);
            assert_eq!(reason.as_str(), said, "{status}");
            assert_eq!(
                reason.to_string().contains("longer than 1s"),
                status == code(TOO_SLOW)
            );
        }
    }

    #[test]
    fn what_is_no_question_ends_the_process() {
        for input in [&b"\x05\0\0\0ab"[..], b"\x02\0\0\0{}", b"\xff\xff\xff\xff"] {
            assert!(
                serve(input, io::sink(), Duration::ZERO, |_| {}).is_err(),
                "{input:?}"
            );
        }
    }
}
