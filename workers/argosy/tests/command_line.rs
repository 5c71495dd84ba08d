//! Tests the binary as a process: it starts, and `argosy run` accepts the name of every role and no other name. These
//! tests are in the package of the binary so that `cargo test` builds it, for the whole-fleet tests too.

use envelope::Role;
use std::process::{Command, Output};

fn argosy(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_argosy"))
        .args(args)
        .output()
        .expect("the binary runs")
}

#[test]
fn it_says_its_version() {
    let said = argosy(&["--version"]);
    assert_eq!(said.status.code(), Some(0));
    let wanted = concat!("argosy ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(String::from_utf8_lossy(&said.stdout), wanted);
}

#[test]
fn run_takes_the_word_of_every_role_and_no_other() {
    let said = argosy(&["run", "searcher"]);
    assert_eq!(said.status.code(), Some(2));
    let text = String::from_utf8_lossy(&said.stderr);
    for role in Role::ALL {
        assert!(
            text.contains(role.as_str()),
            "`{role}` is not offered: {text}"
        );
    }
}
