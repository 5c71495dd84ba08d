//! The `argosy` binary that belongs to this test: of the same profile, in the same target folder, of
//! the sources as they are now. Cargo tells only tests of its own package where it is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// Its path; built first, once and loudly, when it is missing or older than its sources.
pub(crate) fn argosy() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| {
        // target/<profile>/deps/pipeline-<hash>
        let test = std::env::current_exe().expect("the path of this test");
        let folder = test.ancestors().nth(2).expect("a profile folder");
        let binary = folder.join("argosy");
        if let Some(why) = stale(&binary) {
            build(folder, why);
        }
        binary
    })
}

/// Why the binary has to be built, if it has to.
fn stale(binary: &Path) -> Option<String> {
    let Some(built) = changed(binary) else {
        return Some("it is not there".into());
    };
    // What cargo writes beside it: `binary: source source ...`, spaces escaped.
    let Ok(list) = std::fs::read_to_string(binary.with_extension("d")) else {
        return Some("what it was built from is not known".into());
    };
    let sources = list.split_once(": ")?.1.replace("\\ ", "\0");
    let newer = sources
        .split_whitespace()
        .map(|source| source.replace('\0', " "))
        .find(|source| changed(Path::new(source)).is_none_or(|at| at > built));
    newer.map(|source| format!("`{source}` is newer"))
}

fn changed(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).ok()?.modified().ok()
}

fn build(folder: &Path, why: String) {
    eprintln!("building the argosy binary for the fleet tests: {why}");
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let status = Command::new(env!("CARGO"))
        .args(["build", "--package", "argosy", "--profile", profile])
        .arg("--target-dir")
        .arg(folder.parent().expect("a target folder"))
        .status()
        .expect("cargo runs");
    assert!(status.success(), "the argosy binary does not build");
}
