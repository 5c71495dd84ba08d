//! The sources of a configuration, and how each of them is read. The `config` crate only reads. The loader decides
//! which source wins and which values are valid, because the crate guesses types (`0123` becomes 123) and forgets which
//! variable a value came from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use config::{Environment, File, FileFormat, Source, Value, ValueKind};
use serde_json::{Map, Number, Value as Json};

use crate::error::{Error, SettingOrigin};
use crate::named::NamedVariable;
use crate::tree::{self, Path};

/// What the names of our environment variables start with, before the first `__`.
const ENVIRONMENT_PREFIX: &str = "ARGOSY";

/// What stands for a secret whose file is not read.
const UNREAD: &str = "unread";

/// What to load. Later sources win over earlier ones: defaults, variables with names of their own, files in the order they
/// were added, environment, flags.
#[derive(Debug, Default, Clone)]
pub struct Sources {
    files: Vec<FileSource>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) named: Vec<NamedVariable>,
    flags: Vec<(String, String)>,
    /// See [`Sources::without_secret_files`].
    pub(crate) unread: Option<&'static str>,
}

#[derive(Debug, Clone)]
enum FileSource {
    Path { path: PathBuf, required: bool },
    Text { name: String, toml: String },
}

/// One value as a source gave it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) path: Path,
    pub(crate) value: Given,
    pub(crate) origin: SettingOrigin,
}

/// A value with its type, or text whose type the setting decides.
#[derive(Debug)]
pub(crate) enum Given {
    Typed(Json),
    Text(String),
}

impl Sources {
    /// Nothing but the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a TOML file that must exist.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(FileSource::Path {
            path: path.into(),
            required: true,
        });
        self
    }

    /// Adds a TOML file that is used when it exists.
    pub fn optional_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(FileSource::Path {
            path: path.into(),
            required: false,
        });
        self
    }

    /// Adds TOML that is already in memory; `name` is what messages call it.
    pub fn text(mut self, name: impl Into<String>, toml: impl Into<String>) -> Self {
        self.files.push(FileSource::Text {
            name: name.into(),
            toml: toml.into(),
        });
        self
    }

    /// Adds environment variables, of which those that start with `ARGOSY__` count:
    /// `ARGOSY__nats__url` (in any case) sets `nats.url`. An empty variable counts as not set. Keys are
    /// read in lower case, so names with capitals below an open table need a file or a flag.
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        self.environment.extend(variables);
        self
    }

    /// Adds the environment of this process. The only place of the project that reads it. What is no
    /// valid Unicode is passed on with replacement characters.
    pub fn process_environment(self) -> Self {
        let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        self.environment(std::env::vars_os().map(|(name, value)| (lossy(name), lossy(value))))
    }

    /// Adds overrides from the command line, as dotted keys with their values.
    pub fn flags(mut self, flags: impl IntoIterator<Item = (String, String)>) -> Self {
        self.flags.extend(flags);
        self
    }

    /// Leaves the files of secrets unread, so that a configuration can be looked at where they are not:
    /// each such secret is then a word that stands for it.
    pub fn without_secret_files(mut self) -> Self {
        self.unread = Some(UNREAD);
        self
    }

    /// Reads every source, the weakest first; one group per source.
    pub(crate) fn read(&self) -> Result<Vec<Vec<Entry>>, Error> {
        let mut groups = Vec::new();
        for file in &self.files {
            groups.extend(file.read()?);
        }
        groups.push(self.read_environment()?);
        groups.push(self.read_flags());
        Ok(groups)
    }

    fn read_environment(&self) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        // One variable at a time, since the crate does not say which variable a value came from.
        for (name, value) in &self.environment {
            let variable = [(name.clone(), value.clone())].into_iter().collect();
            // Both separators are set: one left out would silently take the value of the other.
            let source = Environment::with_prefix(ENVIRONMENT_PREFIX)
                .prefix_separator("__")
                .separator("__")
                .ignore_empty(true)
                .source(Some(variable));
            let found = source.collect().map_err(|error| Error::Syntax {
                file: name.clone(),
                reason: error.to_string(),
            })?;
            entries.extend(found.into_keys().map(|key| Entry {
                path: tree::split(&key),
                value: Given::Text(value.clone()),
                origin: SettingOrigin::Environment(name.clone()),
            }));
        }
        Ok(entries)
    }

    fn read_flags(&self) -> Vec<Entry> {
        let entry = |(key, value): &(String, String)| Entry {
            path: tree::split(key),
            value: Given::Text(value.clone()),
            origin: SettingOrigin::Flag,
        };
        self.flags.iter().map(entry).collect()
    }
}

impl FileSource {
    fn read(&self) -> Result<Option<Vec<Entry>>, Error> {
        let (name, toml) = match self {
            FileSource::Text { name, toml } => (name.clone(), toml.clone()),
            FileSource::Path { path, required } => match std::fs::read_to_string(path) {
                Ok(toml) => (path.display().to_string(), toml),
                Err(error) if !required && error.kind() == std::io::ErrorKind::NotFound => {
                    return Ok(None);
                }
                Err(source) => {
                    let path = path.clone();
                    return Err(Error::Read { path, source });
                }
            },
        };
        let tree = read_toml(&toml).map_err(|reason| Error::Syntax {
            file: name.clone(),
            reason,
        })?;
        let entries = tree::leaves(tree).into_iter().map(|(path, value)| Entry {
            path,
            value: Given::Typed(value),
            origin: SettingOrigin::File(name.clone()),
        });
        Ok(Some(
            entries.filter(|entry| !entry.path.is_empty()).collect(),
        ))
    }
}

/// Reads TOML. The error keeps place and reason and drops the quoted line, which may hold a secret.
pub(crate) fn read_toml(toml: &str) -> Result<Json, String> {
    match File::from_str(toml, FileFormat::Toml).collect() {
        Ok(table) => Ok(Json::Object(read_table(table.into_iter()))),
        Err(error) => {
            let text = error.to_string();
            let said = text
                .lines()
                .filter(|line| !line.contains('|'))
                .map(str::trim);
            Err(said
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join(": "))
        }
    }
}

fn read_table(table: impl Iterator<Item = (String, Value)>) -> Map<String, Json> {
    table.map(|(name, value)| (name, to_json(value))).collect()
}

fn to_json(value: Value) -> Json {
    match value.kind {
        ValueKind::Nil => Json::Null,
        ValueKind::Boolean(truth) => Json::Bool(truth),
        ValueKind::I64(number) => number.into(),
        ValueKind::U64(number) => number.into(),
        // Beyond 64 bits, and infinite: text, which no numeric setting accepts.
        ValueKind::I128(number) => number.to_string().into(),
        ValueKind::U128(number) => number.to_string().into(),
        ValueKind::Float(number) => match Number::from_f64(number) {
            Some(number) => Json::Number(number),
            None => number.to_string().into(),
        },
        ValueKind::String(text) => Json::String(text),
        ValueKind::Array(items) => items.into_iter().map(to_json).collect(),
        ValueKind::Table(table) => Json::Object(read_table(table.into_iter())),
    }
}

/// What this was built from: `ARGOSY_REVISION` in the environment of the compiler, empty without.
pub fn revision() -> &'static str {
    option_env!("ARGOSY_REVISION").unwrap_or_default()
}

/// A variable of the process environment that is no option: where tools are found, not what they do.
pub fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The folder for what can be fetched again: `$XDG_CACHE_HOME/<name>`, else `~/.cache/<name>`, else
/// one below the temporary folder.
pub fn cache_dir(name: &str) -> PathBuf {
    let base = match (variable("XDG_CACHE_HOME"), variable("HOME")) {
        (Some(cache), _) => PathBuf::from(cache),
        (None, Some(home)) => PathBuf::from(home).join(".cache"),
        (None, None) => std::env::temp_dir(),
    };
    base.join(name)
}
