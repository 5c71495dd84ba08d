//! Reads files in a process of its own, which this program starts of itself; see `documents::reader::apart`. Here are
//! the limits that the process sets for itself.

use documents::reader::apart::{Apart, TOO_SLOW, read_apart, serve};
use documents::reader::outside::{self, Ocr, Programs};
use documents::reader::{ReadOptions, read_records_with, read_with};
use indexer::Recognition;
use indexer::schema::Schemas;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The first argument of a process that reads files; the others are the milliseconds and the MiB that it may take, and
/// the programs that it may call.
const COMMAND: &str = "read-files-apart";
/// How often it looks whether its time is over.
const LOOK: Duration = Duration::from_millis(100);
/// Largest file that it, or a program that it calls, may write, in bytes.
const WRITTEN_BYTES_MAX: u64 = 256 << 20;

/// Has files read apart from now on, within these limits. Where this program does not know its own path, they are read
/// in this process.
pub fn begin(options: &indexer::Options) {
    let (patience, memory_mib) = (options.read_timeout.into(), options.read_memory_mib);
    read_with(ReadOptions {
        hidden: options.read_hidden,
    });
    let programs = programs(options);
    // A schema that is wrong is told where it is needed.
    if let Some(Ok(schemas)) = options.schemas.as_deref().map(Schemas::load) {
        read_records_with(schemas.records());
    }
    // On Linux this is the program that runs, also when another has taken its place on the disk.
    let own = PathBuf::from("/proc/self/exe");
    let program = if own.exists() {
        Ok(own)
    } else {
        std::env::current_exe()
    };
    let Ok(program) = program else {
        return;
    };
    let arguments = [
        COMMAND.to_owned(),
        Duration::as_millis(&patience).to_string(),
        memory_mib.to_string(),
        serde_json::to_string(&programs).unwrap_or_default(),
    ];
    // They have a time because a process of its own watches them, and end when it does.
    outside::call(programs);
    read_apart(Apart {
        program,
        arguments: arguments.map(OsString::from).to_vec(),
        patience,
        memory_mib: memory_mib.into(),
    });
}

/// The programs on the PATH that turn files into others.
fn programs(options: &indexer::Options) -> Programs {
    let path = settings::sources::variable("PATH").unwrap_or_default();
    let find = |name: &str| {
        let mut there = std::env::split_paths(&path).map(|folder| folder.join(name));
        there.find(|program| program.is_absolute() && may_run(program))
    };
    let ocr = match options.ocr {
        Recognition::Off => None,
        Recognition::Tesseract => find("tesseract").map(|tesseract| Ocr {
            tesseract,
            pdftoppm: find("pdftoppm"),
            languages: options.ocr_languages.clone(),
        }),
    };
    Programs {
        office: find("soffice").or_else(|| find("libreoffice")),
        ocr,
        patience: options.program_timeout.into(),
    }
}

/// Whether a file is a program, for anybody at all.
fn may_run(program: &Path) -> bool {
    let found = program.metadata().ok().filter(Metadata::is_file);
    found.is_some_and(|found| found.permissions().mode() & 0o111 != 0)
}

/// Reads files, if that is what this process is for.
pub fn reads() -> Option<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    if arguments.next()? != COMMAND {
        return None;
    }
    let patience = Duration::from_millis(arguments.next()?.parse().ok()?);
    let memory_mib: u64 = arguments.next()?.parse().ok()?;
    outside::call(serde_json::from_str(&arguments.next()?).ok()?);
    limit(Resource::Data, memory_mib << 20);
    limit(Resource::Fsize, WRITTEN_BYTES_MAX);
    let until = Arc::new(Mutex::new(None));
    watch(Arc::clone(&until));
    let told = |at: Option<Instant>| *until.lock().unwrap_or_else(PoisonError::into_inner) = at;
    let served = serve(io::stdin().lock(), io::stdout().lock(), patience, told);
    Some(if served.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Ends the process when a file takes too long, or when nobody is there any more who has asked, and with it the program
/// that it calls.
fn watch(until: Arc<Mutex<Option<Instant>>>) {
    let asker = rustix::process::getppid();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(LOOK);
            let until = *until.lock().unwrap_or_else(PoisonError::into_inner);
            let is_slow = until.is_some_and(|until| Instant::now() > until);
            if is_slow || rustix::process::getppid() != asker {
                outside::stop();
                std::process::exit(TOO_SLOW);
            }
        }
    });
}

/// The kernel refuses more, and the process ends by that.
fn limit(what: Resource, bytes: u64) {
    let limit = Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    // Where there is no such limit, that of the time remains.
    let _ = setrlimit(what, limit);
}
