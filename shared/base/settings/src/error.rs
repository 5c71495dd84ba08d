//! The problems of a configuration: what is wrong, where it came from, and what was probably meant. All problems of one
//! load are reported together.

use std::fmt;
use std::path::PathBuf;

/// Why no configuration could be loaded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read the configuration file `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is no TOML.
    #[error("the configuration file `{file}` is not valid TOML: {reason}")]
    Syntax {
        /// The file.
        file: String,
        /// Line, column and reason; never the text of the file, which may hold secrets.
        reason: String,
    },
    /// The defaults themselves cannot be described as a table of keys; a mistake in the program.
    #[error("the default configuration is not a table: {reason}")]
    Defaults {
        /// Why.
        reason: String,
    },
    /// Some values are wrong. There is at least one problem.
    #[error("{}", listed(problems))]
    Invalid {
        /// All that were found.
        problems: Vec<SettingProblem>,
    },
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingOrigin {
    /// The default of the program.
    Default,
    /// A file, by its path as it was given.
    File(String),
    /// An environment variable, by its name.
    Environment(String),
    /// A command line flag.
    Flag,
    /// The file that contains a secret, and the source that named that file.
    SecretFile {
        /// The file.
        path: String,
        /// The source that named it.
        named_by: Box<SettingOrigin>,
    },
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Default => f.write_str("default"),
            SettingOrigin::File(path) => write!(f, "file `{path}`"),
            SettingOrigin::Environment(name) => write!(f, "environment variable `{name}`"),
            SettingOrigin::Flag => f.write_str("command line"),
            SettingOrigin::SecretFile { path, named_by } => {
                write!(f, "secret file `{path}`, named by {named_by}")
            }
        }
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingProblem {
    /// The dotted key; empty for the configuration as a whole.
    pub key: String,
    /// The value, when there is one to show. A secret is shown as `***`.
    pub value: Option<String>,
    /// Where the value came from.
    pub origin: SettingOrigin,
    /// What is wrong with it.
    pub fault: SettingFault,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingFault {
    /// No setting has this name.
    Unknown {
        /// The valid name that looks most like it.
        nearest: Option<String>,
    },
    /// It is not what the setting wants.
    Wrong {
        /// What is wanted.
        wanted: String,
    },
    /// It breaks a rule of its type, or misses something.
    Broken {
        /// The rule, in the words of the type.
        rule: String,
    },
    /// It is given more than once by the same source.
    Twice {
        /// The other place.
        also: String,
    },
    /// The file of a secret cannot be used.
    SecretFile {
        /// Why.
        reason: String,
    },
}

impl fmt::Display for SettingProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.key.is_empty() {
            write!(f, "`{}`", self.key)?;
            if let Some(value) = &self.value {
                write!(f, " = {value}")?;
            }
            write!(f, " ({}): ", self.origin)?;
        }
        match &self.fault {
            SettingFault::Unknown {
                nearest: Some(name),
            } => write!(f, "unknown setting, did you mean `{name}`?"),
            SettingFault::Unknown { nearest: None } => f.write_str("unknown setting"),
            SettingFault::Wrong { wanted } => write!(f, "wants {wanted}"),
            SettingFault::Broken { rule } => f.write_str(rule),
            SettingFault::Twice { also } => write!(f, "is given twice, also by {also}"),
            SettingFault::SecretFile { reason } => write!(f, "cannot use the file: {reason}"),
        }
    }
}

fn listed(problems: &[SettingProblem]) -> String {
    match problems {
        [one] => format!("invalid configuration: {one}"),
        many => many.iter().fold(
            format!("invalid configuration, {} problems:", many.len()),
            |text, problem| format!("{text}\n  - {problem}"),
        ),
    }
}
