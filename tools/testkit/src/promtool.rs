//! Prometheus' own check of our metrics. A script, which CI runs too, provides promtool.
//!
//! Nothing here skips a test when there is no promtool: it panics with the fix, so that metrics that were never
//! checked cannot look checked.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The path of promtool. If it is not installed, it is fetched if possible, which blocks for some seconds.
///
/// # Panics
/// When it can neither be found nor fetched.
pub fn binary() -> PathBuf {
    program("promtool")
}

/// The same for a program of its package: `promtool` or `prometheus`.
pub(crate) fn program(name: &str) -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/promtool");
    let said = Command::new(&script).arg(name).output();
    let said = said.unwrap_or_else(|error| panic!("`{}` does not run: {error}", script.display()));
    let (path, why) = (lossy(&said.stdout), lossy(&said.stderr));
    assert!(said.status.success(), "{why}");
    PathBuf::from(path.trim())
}

/// Checks a text with `promtool check metrics`.
///
/// # Errors
/// Its complaints.
///
/// # Panics
/// When there is no promtool.
pub fn check_metrics(text: &str) -> Result<(), String> {
    let mut command = Command::new(binary());
    command.args(["check", "metrics"]);
    let said = fed(&mut command, text);
    let said = said.unwrap_or_else(|error| panic!("promtool does not run: {error}"));
    match said.status.success() {
        true => Ok(()),
        false => Err(lossy(&said.stderr) + &lossy(&said.stdout)),
    }
}

/// Checks a file with `promtool check rules`.
///
/// # Errors
/// Its complaints.
///
/// # Panics
/// When there is no promtool.
pub fn check_rules(file: &Path) -> Result<(), String> {
    let said = Command::new(binary())
        .args(["check", "rules"])
        .arg(file)
        .output();
    let said = said.unwrap_or_else(|error| panic!("promtool does not run: {error}"));
    match said.status.success() {
        true => Ok(()),
        false => Err(lossy(&said.stderr) + &lossy(&said.stdout)),
    }
}

fn fed(command: &mut Command, text: &str) -> std::io::Result<Output> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // It reads all of it before it says anything; closing its input lets it begin.
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    child.wait_with_output()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
