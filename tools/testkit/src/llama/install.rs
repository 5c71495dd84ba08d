//! Finds or builds the model server: from a Python that has it, from the cache folder, or from its sources in the
//! Python package index. Building the sources needs a C++ compiler; pip fetches everything else.

use settings::sources::{cache_dir, variable};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The version of llama-cpp-python that is installed and that the tests are written for.
pub const VERSION: &str = "0.3.36";

/// Names a Python that has llama-cpp-python with its server already.
const VARIABLE: &str = "ARGOSY_LLAMA_PYTHON";

/// For processors of the last ten years, without pictures, and hardly optimised: a model of 600 KB is
/// read sooner than a compiler thinks.
const BUILD: &str = "-DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 \
    -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF -DLLAMA_CURL=OFF";

/// A Python that can run the server.
#[derive(Debug, Clone)]
pub(super) struct Python {
    program: PathBuf,
    /// Where its packages are, when they are not its own.
    packages: Option<PathBuf>,
}

impl Python {
    /// What is to be run.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Tells a command where the packages are.
    pub(super) fn prepare(&self, command: &mut Command) {
        if let Some(packages) = &self.packages {
            command.env("PYTHONPATH", packages);
        }
    }

    /// Runs it to its end with these arguments and a path; an error says what it said last.
    pub(super) fn run(&self, args: &[&str], last: &Path) -> Result<String, String> {
        let mut command = Command::new(&self.program);
        self.prepare(&mut command);
        let output = command.args(args).arg(last).output();
        said(&self.program, output)
    }
}

/// A Python with the server: the one that is named, or `python3` with what is in the cache; built into
/// the cache first, once, when it is not there. Blocks for minutes then.
pub(super) fn python() -> Result<Python, String> {
    if let Some(program) = variable(VARIABLE) {
        let program = PathBuf::from(program);
        return match imports(&program, None) {
            Ok(()) => Ok(Python {
                program,
                packages: None,
            }),
            Err(why) => Err(format!(
                "{VARIABLE} is `{}`, which has none: {why}; run `{} -m pip install \
                 'llama-cpp-python[server]=={VERSION}'` or unset the variable",
                program.display(),
                program.display()
            )),
        };
    }
    let program = PathBuf::from("python3");
    let packages = cached(&cache_dir("argosy"), &program).map_err(|why| {
        format!(
            "llama-cpp-python {VERSION} is not in the cache and not installed by pip: {why}; install \
             python3 with pip and g++ (Debian: `apt-get install python3-pip g++`), or set \
             {VARIABLE} to a Python that has it"
        )
    })?;
    Ok(Python {
        program,
        packages: Some(packages),
    })
}

/// The folder of the packages in the cache, built first when it is not there: other processes that want
/// it at the same time wait for the first.
fn cached(cache: &Path, program: &Path) -> Result<PathBuf, String> {
    let abi = "import sysconfig; print(sysconfig.get_config_var('SOABI'))";
    let abi = said(program, Command::new(program).args(["-c", abi]).output())?;
    let target = cache.join(format!("llama-cpp-python-{VERSION}-{}", abi.trim()));
    let failed = |what: &str| {
        let what = format!("{what} in `{}`", cache.display());
        move |error| format!("{what}: {error}")
    };
    fs::create_dir_all(cache).map_err(failed("no folder"))?;
    // The lock ends with its holder, so a killed build leaves nothing to clear by hand.
    let lock = fs::File::create(cache.join("llama.lock")).map_err(failed("no lock"))?;
    lock.lock().map_err(failed("not locked"))?;
    if target.is_dir() {
        return Ok(target);
    }
    let scratch = cache.join("llama-building");
    let _ = fs::remove_dir_all(&scratch);
    eprintln!("building llama-cpp-python {VERSION} once, which takes some minutes");
    let built = build(program, &scratch).and_then(|()| {
        imports(program, Some(&scratch))?;
        // A rename is atomic: a reader sees all of it or nothing.
        fs::rename(&scratch, &target).map_err(failed("not moved"))
    });
    let _ = fs::remove_dir_all(&scratch);
    built.map(|()| target)
}

fn build(program: &Path, into: &Path) -> Result<(), String> {
    let package = format!("llama-cpp-python[server]=={VERSION}");
    let output = Command::new(program)
        .args(["-m", "pip", "install", "--quiet", "--no-input"])
        .args(["--disable-pip-version-check", "--no-warn-script-location"])
        .arg("--target")
        .arg(into)
        .arg(package)
        .env("CMAKE_ARGS", BUILD)
        .output();
    said(program, output).map(drop)
}

fn imports(program: &Path, packages: Option<&Path>) -> Result<(), String> {
    let mut command = Command::new(program);
    if let Some(packages) = packages {
        command.env("PYTHONPATH", packages);
    }
    let output = command.args(["-c", "import llama_cpp.server.app"]).output();
    said(program, output).map(drop)
}

/// What a command said; as an error the end of its complaints.
fn said(program: &Path, output: std::io::Result<Output>) -> Result<String, String> {
    let output =
        output.map_err(|error| format!("`{}` does not run: {error}", program.display()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = complaints.trim().lines().collect();
    Err(lines[lines.len().saturating_sub(12)..].join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_python_that_is_not_there_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("python3");
        let why = cached(folder.path(), &nowhere).unwrap_err();
        assert!(why.contains("does not run"), "{why}");
        assert!(imports(&nowhere, None).is_err());
    }

    #[test]
    fn the_end_of_what_went_wrong_is_told() {
        let fails = "import sys; sys.exit('\\n'.join(str(n) for n in range(40)))";
        let output = Command::new("python3").args(["-c", fails]).output();
        let why = said(Path::new("python3"), output).unwrap_err();
        assert!(why.starts_with("28\n") && why.ends_with("\n39"), "{why}");
    }
}
