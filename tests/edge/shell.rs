//! Runs the binary as a shell does: in a folder of its own, and without the environment variables of this test that
//! could change its behaviour.

use crate::binary::argosy;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The longest time for any command.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder to run commands in.
pub(crate) struct Shell {
    dir: TempDir,
    env: Vec<(String, String)>,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Stdout, which has to be one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("no JSON ({e}): {self:?}"))
    }

    /// Checks the exit code.
    pub(crate) fn exits(self, exit: i32) -> Ran {
        assert_eq!(self.exit, exit, "{self:?}");
        self
    }
}

impl Shell {
    /// An empty folder, and no model but the offline reader.
    pub(crate) fn new() -> Shell {
        let model = ("ARGOSY__model__model", argosy::model::OFFLINE);
        Shell::without_model().env(model.0, model.1)
    }

    /// The same folder with the model that the configuration names.
    pub(crate) fn without_model() -> Shell {
        let dir = TempDir::with_prefix("argosy-edge-").unwrap();
        Shell { dir, env: vec![] }
    }

    /// The shell with one more variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Shell {
        self.env.push((name.into(), value.into()));
        self
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The command, ready to be started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_of(argosy(), args)
    }

    /// The command with another binary.
    pub(crate) fn command_of(&self, binary: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(binary);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            let tells = [
                "NO_COLOR",
                "CLICOLOR",
                "CLICOLOR_FORCE",
                "RUST_LOG",
                "COLUMNS",
            ];
            if name.starts_with("ARGOSY") || tells.contains(&name.as_str()) {
                command.env_remove(name);
            }
        }
        command
            .args(args)
            .envs(self.env.iter().cloned())
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        finish(self.command(args).spawn().unwrap(), args)
    }
}

/// Waits for the end of a process, and kills it when it takes too long.
pub(crate) fn finish(child: Child, args: &[&str]) -> Ran {
    let pid = child.id();
    // Read while it runs: a full pipe would hold it up.
    let reading = std::thread::spawn(move || child.wait_with_output());
    let begun = Instant::now();
    while !reading.is_finished() {
        if begun.elapsed() > PATIENCE {
            signal(pid, "-KILL");
            panic!("`argosy {}` did not end in {PATIENCE:?}", args.join(" "));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let Output {
        status,
        stdout,
        stderr,
    } = reading.join().unwrap().unwrap();
    Ran {
        exit: status.code().unwrap_or(-1),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// Sends a signal to a process that this test started.
pub(crate) fn signal(pid: u32, which: &str) {
    let kill = Command::new("kill")
        .args([which, &pid.to_string()])
        .status();
    assert!(kill.unwrap().success());
}
