//! Finds the binaries that belong to this test: with the same profile, in the same target folder, built from the
//! current sources. Cargo gives their paths only to tests of their own packages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The binary that ships.
pub(crate) fn argosy() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| found("argosy"))
}

/// The path of a binary, which has the name of its package. When it is missing or older than its sources, it is built
/// first, once and with a message.
pub(crate) fn found(name: &str) -> PathBuf {
    // target/<profile>/deps/pipeline-<hash>
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.ancestors().nth(2).expect("a profile folder");
    let binary = folder.join(name);
    if let Some(why) = stale(&binary) {
        build(name, folder, why);
    }
    binary
}

/// Why the binary has to be built, if it has to.
fn stale(binary: &Path) -> Option<String> {
    let Some(built) = changed(binary) else {
        return Some("it is not there".into());
    };
    let mut sources = sources(binary).into_iter();
    let newer = sources.find(|source| changed(source).is_none_or(|at| at > built));
    newer.map(|source| format!("`{}` is newer", source.display()))
}

/// The sources of the binary. `cargo build` writes them beside it (`binary: source source ...`, spaces escaped);
/// `cargo test` does not, and then they may be any files of the crates.
fn sources(binary: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_to_string(binary.with_extension("d")).unwrap_or_default();
    if let Some((_, list)) = list.split_once(": ") {
        let list = list.replace("\\ ", "\0");
        let unescaped = list.split_whitespace().map(|s| s.replace('\0', " "));
        return unescaped.map(PathBuf::from).collect();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    let mut folders = vec![root.join("shared"), root.join("workers")];
    if binary.ends_with("argosy-bench") {
        folders.push(root.join("tools/bench"));
    }
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the crates").flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let into = if is_folder { &mut folders } else { &mut files };
            into.push(entry.path());
        }
    }
    files
}

fn changed(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).ok()?.modified().ok()
}

fn build(name: &str, folder: &Path, why: String) {
    eprintln!("building {name} for the fleet tests: {why}");
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let status = Command::new(env!("CARGO"))
        .args(["build", "--package", name, "--profile", profile])
        .arg("--target-dir")
        .arg(folder.parent().expect("a target folder"))
        .status()
        .expect("cargo runs");
    assert!(status.success(), "{name} does not build");
}
