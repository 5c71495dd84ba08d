//! Hands `argosy eval` on to the tool that measures.

use crate::binary::argosy;
use crate::shell::{Shell, finish};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Prints its arguments, a line for each, and exits with 7.
const STAND_IN: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n";

#[test]
fn measuring_is_another_binary() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("measuring");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let binary = folder.join("argosy");
    std::fs::hard_link(argosy(), &binary).unwrap();
    let shell = Shell::new();
    let ran = |args: &[&str]| finish(shell.command_of(&binary, args).spawn().unwrap(), args);

    let missing = ran(&["eval", "answers", "-o", "json"]).exits(3);
    let error = &missing.json()["error"];
    assert!(error["message"].as_str().unwrap().contains("argosy-eval"));
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("cargo install --locked --path tools/eval"));

    let other = folder.join("argosy-eval");
    std::fs::write(&other, STAND_IN).unwrap();
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o755)).unwrap();
    let told = ran(&["-o", "json", "eval", "answers", "--limit", "6"]).exits(7);
    assert_eq!(told.stdout, "-o\njson\nanswers\n--limit\n6\n");
    assert_eq!(ran(&["eval", "--help"]).exits(7).stdout, "--help\n");
}
