//! Programs outside of this one that turn a file into one that a reader here reads: LibreOffice what office programs
//! wrote before DOCX and PPTX, `pdftoppm` the pages of a PDF into pictures, `tesseract` pictures into hOCR.
//!
//! Each works in a folder that goes with it, in a process group that is killed when its time is over. It has the limits
//! of the process that calls it, of memory and of the size of a file. It does *not* look for programs: who begins says
//! where they are. And it reads no files in other files: each run reads those again.
//!
//! What a program gets is looked at first: `tesseract` takes what is no picture as a list of pictures elsewhere, and
//! LibreOffice whatever it is for what it could be, a page with links among that.

use super::hocr::Recognised;
use super::{
    CONTAINER_BYTES_MAX, Format, Parsed, ReadOptions, SkipReason, archive, pdf, unreadable,
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use text::{count, line_of};

/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(20);
/// Longer side of the picture of a page: 300 dots an inch on A4.
const PAGE_DOTS: &str = "3508";
/// Most of what a program says about a failure that is told, in bytes and characters.
const SAID_BYTES_MAX: u64 = 4096;
const SAID_CHARS_MAX: usize = 200;

/// The programs that there are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Programs {
    /// LibreOffice.
    pub office: Option<PathBuf>,
    /// Text recognition, where it is wanted.
    pub ocr: Option<Ocr>,
    /// How long they may take for one file.
    pub patience: Duration,
}

/// Text recognition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ocr {
    /// `tesseract`.
    pub tesseract: PathBuf,
    /// `pdftoppm`, for pages of a PDF.
    pub pdftoppm: Option<PathBuf>,
    /// What the text may be written in, as in `eng+deu`.
    pub languages: String,
}

/// In a folder, the number of the group of processes that works there.
const GROUP: &str = "group";
/// What office programs wrote before ZIP begins with this, and a workbook with a password.
pub(super) const OLD_OFFICE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// The exit codes of a shell, and of the linker, for what could not be started.
const NOT_STARTED: [i32; 2] = [126, 127];
/// Complaints of `tesseract` about places on a page where nothing is.
const HARMLESS: [&str; 2] = ["Error in box", "Error in pixScanForForeground"];

static PROGRAMS: OnceLock<Programs> = OnceLock::new();
/// Languages that are wanted and not installed.
static LACKING: OnceLock<Vec<String>> = OnceLock::new();
static RUNNING: Mutex<Running> = Mutex::new(Running {
    given: None,
    folder: None,
    group: None,
});

/// What has to go with a process that calls programs.
struct Running {
    /// Who asks has made it.
    given: Option<PathBuf>,
    folder: Option<PathBuf>,
    group: Option<Pid>,
}

/// Has these programs called from now on. Only the first call counts.
pub fn call(programs: Programs) {
    let _ = PROGRAMS.set(programs);
}

/// Has the programs for the next file work in this folder, which goes with who has made it.
pub(super) fn work_in(folder: Option<PathBuf>) {
    running().given = folder;
}

/// Ends the programs that work in a folder whose process is gone.
pub(super) fn end_in(folder: &Path) {
    let group = fs::read_to_string(folder.join(GROUP)).unwrap_or_default();
    // Other numbers mean more than one group.
    let group = group.parse().ok().filter(|group: &i32| *group > 1);
    end(group.and_then(Pid::from_raw));
}

/// Ends the program that runs in a process that reads files, which ends after this.
pub fn stop() {
    let mut running = running();
    end(running.group.take());
    if let Some(folder) = running.folder.take().or(running.given.take()) {
        let _ = fs::remove_dir_all(folder);
    }
    // With this nothing is begun any more.
    std::mem::forget(running);
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end(group: Option<Pid>) {
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Whether files of a format can be read with the programs that there are.
pub(super) fn reads(format: Format) -> bool {
    let there = PROGRAMS.get();
    match format {
        Format::Picture => there.is_some_and(|there| there.ocr.is_some()),
        Format::Scan => there.is_some_and(|there| pages(there).is_some()),
        Format::OldOffice => there.is_some_and(|there| there.office.is_some()),
        _ => true,
    }
}

fn pages(there: &Programs) -> Option<(&Ocr, &Path)> {
    let ocr = there.ocr.as_ref()?;
    Some((ocr, ocr.pdftoppm.as_deref()?))
}

/// How long programs may take for a file of that format.
pub(super) fn patience(format: Format) -> Duration {
    match PROGRAMS.get() {
        Some(there) if format.is_outside() => there.patience,
        _ => Duration::ZERO,
    }
}

/// The call of a program, and the name of the file that it makes in the folder of its work.
type Call = (Command, String);

/// Reads the text of a picture.
fn recognise(ocr: &Ocr, input: &str) -> Call {
    let mut command = Command::new(&ocr.tesseract);
    // A page may lie on its side. One thread: other files are read besides.
    command.args([input, "text", "-l", &ocr.languages, "--psm", "1", "hocr"]);
    command.env("OMP_THREAD_LIMIT", "1");
    (command, "text.hocr".into())
}

/// Makes a picture of a page.
fn picture(pdftoppm: &Path, page: u32) -> Call {
    let mut command = Command::new(pdftoppm);
    let page = page.to_string();
    command.args(["-f", &page, "-l", &page, "-singlefile", "-gray"]);
    command.args(["-scale-to", PAGE_DOTS, "in.pdf", "page"]);
    (command, "page.pgm".into())
}

/// What reads old office files, by what they become: without it LibreOffice takes whatever there is.
const FILTERS: [(&str, &str); 4] = [
    ("docx", "MS Word 97"),
    ("docx", "MS Word 95"),
    ("docx", "MS WinWord 6.0"),
    ("pptx", "MS PowerPoint 97"),
];

/// Settings of LibreOffice: no macros, and nothing fetched that a document links to. Not all its readers ask whether
/// links are blocked, so it also has a proxy that nobody answers at.
const SETTINGS: &str = include_str!("outside/registrymodifications.xcu");

/// Saves in a folder what this filter of LibreOffice reads as this format.
fn save_as(
    office: &Path,
    folder: &Path,
    input: &str,
    (ext, filter): (&str, &str),
) -> io::Result<Call> {
    let profile = folder.join("profile/user");
    fs::create_dir_all(&profile)?;
    fs::write(profile.join("registrymodifications.xcu"), SETTINGS)?;
    let mut command = Command::new(office);
    command.env("XDG_CONFIG_HOME", folder);
    command.arg("-env:UserInstallation=$SYSUSERCONFIG/profile");
    command.arg(format!("--infilter={filter}"));
    command.args(["--headless", "--norestore", "--convert-to", ext]);
    command.args(["--outdir", "saved", input]);
    Ok((command, format!("saved/in.{ext}")))
}

/// A folder in which programs work on one file.
struct Work {
    folder: PathBuf,
    /// Unless the process that asks has made it.
    _own: Option<TempDir>,
    patience: Duration,
    until: Instant,
}

/// What a program has made, and what it says is not in it.
type Made = (Vec<u8>, Option<SkipReason>);

impl Work {
    fn on(bytes: &[u8], input: &str, patience: Duration) -> io::Result<Work> {
        let mut running = running();
        let own = match running.given {
            None => Some(tempfile::tempdir()?),
            Some(_) => None,
        };
        let own_path = || own.iter().map(|own| own.path()).collect();
        let folder: PathBuf = running.given.clone().unwrap_or_else(own_path);
        running.folder = Some(folder.clone());
        drop(running);
        fs::write(folder.join(input), bytes)?;
        Ok(Work {
            folder,
            _own: own,
            patience,
            until: Instant::now() + patience,
        })
    }

    /// What a program makes in the folder.
    fn made(&self, (mut command, made): Call) -> Result<Made, SkipReason> {
        let folder = &self.folder;
        let name = Path::new(command.get_program())
            .file_name()
            .unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        command.stdout(Stdio::null());
        let Some(ended) = self
            .run(&mut command)
            .map_err(|error| SkipReason::Program(format!("`{name}` cannot be started: {error}")))?
        else {
            let patience = self.patience;
            return Err(SkipReason::OverLimits(format!(
                "`{name}` took longer than {patience:?} (`indexer.program_timeout`)"
            )));
        };
        if let Some(signal) = ended.signal() {
            return Err(SkipReason::OverLimits(format!(
                "`{name}` did not run to its end: signal {signal} has ended it"
            )));
        }
        let said = File::open(folder.join("said"))
            .and_then(|said| io::read_to_string(io::Read::take(said, SAID_BYTES_MAX)))
            .unwrap_or_default();
        let made = folder.join(made);
        let bytes = File::open(&made).ok().filter(|_| ended.success());
        let bytes = bytes.ok_or_else(|| failed(&name, ended, &said))?;
        let bytes = archive::bytes_of(bytes, CONTAINER_BYTES_MAX)?;
        // The next page must not find it.
        fs::remove_file(made).map_err(unreadable)?;
        let complaint = complaint(&said).map(|said| format!("`{name}` says: {said}"));
        Ok((bytes, complaint.map(SkipReason::Partial)))
    }

    /// Runs a program to its end, unless its time is over before. Which group it is stands in the folder: who has begun
    /// this process ends it where this process cannot.
    fn run(&self, command: &mut Command) -> io::Result<Option<ExitStatus>> {
        let folder = &self.folder;
        command
            .current_dir(folder)
            .env("HOME", folder)
            .env("TMPDIR", folder)
            .process_group(0);
        command
            .stdin(Stdio::null())
            .stderr(File::create(folder.join("said"))?);
        let (mut child, group) = {
            let mut running = running();
            let child = command.spawn()?;
            running.group = Some(Pid::from_child(&child));
            (child, running.group)
        };
        let told = fs::write(folder.join(GROUP), child.id().to_string());
        let has_ended = told.is_ok() && self.wait(&mut child);
        // What it has started itself may still be there.
        end(group);
        let ended = child.wait();
        running().group = None;
        fs::remove_file(folder.join(GROUP))?;
        Ok(Some(ended?).filter(|_| has_ended))
    }

    fn wait(&self, child: &mut Child) -> bool {
        while Instant::now() < self.until {
            match child.try_wait() {
                Ok(None) => std::thread::sleep(LOOK),
                ended => return ended.is_ok(),
            }
        }
        false
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        running().folder = None;
    }
}

/// Why a program has made nothing: the file, or that it does not work at all.
fn failed(name: &str, ended: ExitStatus, said: &str) -> SkipReason {
    let line = complaint(said).unwrap_or_else(|| line_of(said, SAID_CHARS_MAX));
    let told = match line.as_str() {
        "" => format!("`{name}` failed on it and does not say why"),
        said => format!("`{name}` failed on it ({said})"),
    };
    let is_unstarted = ended.code().is_some_and(|code| NOT_STARTED.contains(&code));
    match is_unstarted || said.contains("Could not initialize tesseract") {
        true => SkipReason::Program(told),
        false => SkipReason::Broken(told),
    }
}

/// What a program that has made something says it could not do.
fn complaint(said: &str) -> Option<String> {
    let is_harmless = |line: &str| HARMLESS.iter().any(|harmless| line.starts_with(harmless));
    let mut lines = said.lines().filter(|line| !is_harmless(line));
    let line = lines.find(|line| line.starts_with("Error") || line.starts_with("Failed"))?;
    Some(line_of(line, SAID_CHARS_MAX))
}

/// Fails where text recognition lacks a language that it should read.
fn languages(work: &Work, ocr: &Ocr) -> Result<(), SkipReason> {
    let lacking = LACKING.get_or_init(|| {
        let there = listed(work, ocr).unwrap_or_default();
        let wanted = ocr.languages.split('+');
        let lacking = wanted.filter(|wanted| !there.lines().any(|there| there.trim() == *wanted));
        match there.is_empty() {
            true => Vec::new(),
            false => lacking.map(str::to_owned).collect(),
        }
    });
    match lacking.is_empty() {
        true => Ok(()),
        false => Err(SkipReason::Program(format!(
            "`tesseract` lacks the language `{}` of `indexer.ocr_languages`; install it, or leave it out there",
            lacking.join("` and `")
        ))),
    }
}

/// The languages that there are, a line each; nothing where that is not told.
fn listed(work: &Work, ocr: &Ocr) -> Option<String> {
    let listed = work.folder.join("languages");
    let mut command = Command::new(&ocr.tesseract);
    command
        .arg("--list-langs")
        .stdout(File::create(&listed).ok()?);
    let ended = work.run(&mut command).ok()??;
    fs::read_to_string(listed).ok().filter(|_| ended.success())
}

/// Whether a file begins as the pictures do that are read.
fn is_picture(bytes: &[u8]) -> bool {
    let starts = |marks: &[&[u8]]| marks.iter().any(|mark| bytes.starts_with(mark));
    let at = |at: usize, mark: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(mark));
    starts(&[b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"])
        || starts(&[b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"])
        || at(0, b"RIFF") && at(8, b"WEBP")
        // Text may begin with these two letters; the length of a header has three zeros.
        || at(0, b"BM") && at(15, &[0; 3])
}

/// What a file becomes that is read with the help of one program, its bytes, and what is not in them.
pub(super) fn turned(
    bytes: &[u8],
    format: Format,
    ext: &str,
) -> Result<(Format, Made), SkipReason> {
    let there = PROGRAMS.get().cloned().unwrap_or_default();
    let is_it = match format {
        Format::Picture => is_picture(bytes),
        _ => bytes.starts_with(OLD_OFFICE),
    };
    if !is_it {
        return Err(SkipReason::Broken(
            "not of the format that its name says".into(),
        ));
    }
    let input = format!("in.{ext}");
    let work = Work::on(bytes, &input, there.patience).map_err(unreadable)?;
    match (format, &there.office, &there.ocr) {
        (Format::OldOffice, Some(office), _) => saved(&work, office, &input),
        (Format::Picture, _, Some(ocr)) => {
            languages(&work, ocr)?;
            Ok((Format::Hocr, work.made(recognise(ocr, &input))?))
        }
        _ => Err(SkipReason::UnknownExtension(ext.to_owned())),
    }
}

/// What LibreOffice makes of an old office file: the first filter that reads it.
fn saved(work: &Work, office: &Path, input: &str) -> Result<(Format, Made), SkipReason> {
    let (format, ext) = match input.starts_with("in.d") {
        true => (Format::Docx, "docx"),
        false => (Format::Pptx, "pptx"),
    };
    let filters = FILTERS.iter().filter(|(to, _)| *to == ext);
    let mut failed = SkipReason::Empty;
    for filter in filters {
        let call = save_as(office, &work.folder, input, *filter).map_err(unreadable)?;
        match work.made(call) {
            Ok(made) => return Ok((format, made)),
            Err(reason @ SkipReason::Broken(_)) => failed = reason,
            Err(reason) => return Err(reason),
        }
    }
    Err(failed)
}

/// Parses a PDF of which pages are pictures.
pub(super) fn scan(bytes: &[u8], options: ReadOptions) -> Result<Parsed, SkipReason> {
    let there = PROGRAMS.get().cloned().unwrap_or_default();
    let (ocr, pdftoppm) = pages(&there).ok_or(SkipReason::NoText)?;
    let mut parsed = pdf::parse(bytes, options)?;
    let work = Work::on(bytes, "in.pdf", there.patience).map_err(unreadable)?;
    languages(&work, ocr)?;
    let mut recognised = Recognised::default();
    let mut failed: Vec<(u32, SkipReason)> = Vec::new();
    for page in std::mem::take(&mut parsed.scans) {
        // When the time is over, nothing is begun for the pages after.
        let late = failed.last().filter(|_| Instant::now() >= work.until);
        if let Some((_, reason)) = late {
            failed.push((page, reason.clone()));
            continue;
        }
        match page_of(&work, ocr, pdftoppm, page) {
            Ok((hocr, complaint)) => {
                let read = recognised.hocr(&hocr, Some(page));
                failed.extend(read.err().or(complaint).map(|reason| (page, reason)));
            }
            Err(reason) => failed.push((page, reason)),
        }
    }
    let recognised = recognised.finish()?;
    if let Some((first, reason)) = failed.first() {
        if recognised.lines.is_empty() && parsed.lines.is_empty() {
            return Err(reason.clone());
        }
        let pages = count(failed.len() as u64, "page");
        let told = format!("{pages} not recognised in full, the first is {first}: {reason}");
        parsed.left_out = SkipReason::both(parsed.left_out, Some(SkipReason::Partial(told)));
    }
    parsed.metadata.extend(recognised.metadata);
    parsed.lines.extend(recognised.lines);
    parsed.lines.sort_by_key(|line| line.page);
    for (line, number) in parsed.lines.iter_mut().zip(1..) {
        line.number = number;
    }
    Ok(parsed)
}

/// What is recognised on a page.
fn page_of(work: &Work, ocr: &Ocr, pdftoppm: &Path, page: u32) -> Result<Made, SkipReason> {
    let (picture, _) = work.made(picture(pdftoppm, page))?;
    fs::write(work.folder.join("in.pgm"), picture).map_err(unreadable)?;
    work.made(recognise(ocr, "in.pgm"))
}

#[cfg(test)]
#[path = "outside_tests.rs"]
mod tests;
