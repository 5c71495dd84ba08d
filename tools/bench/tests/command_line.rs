//! Tests the binary as a process. This test is in the binary's package so that `cargo test` builds the binary, for
//! the whole-fleet tests too.

use std::process::Command;

#[test]
fn it_says_its_version() {
    let said = Command::new(env!("CARGO_BIN_EXE_argosy-bench"))
        .arg("--version")
        .output()
        .expect("the binary runs");
    assert_eq!(said.status.code(), Some(0));
    let wanted = concat!("argosy-bench ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(String::from_utf8_lossy(&said.stdout), wanted);
}

#[test]
fn a_fault_that_is_none_is_a_wrong_call() {
    let said = Command::new(env!("CARGO_BIN_EXE_argosy-bench"))
        .args(["run", "mapper", "--fault", "nowhere=1"])
        .output()
        .expect("the binary runs");
    assert_eq!(said.status.code(), Some(2));
    let text = String::from_utf8_lossy(&said.stderr);
    assert!(text.contains("part-stored"), "the points are named: {text}");
}
