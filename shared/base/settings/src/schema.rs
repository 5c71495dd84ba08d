//! Derives from the defaults which keys there are and what each of them may contain. A table with keys allows no other
//! keys; a null or an empty table allows anything below it.

use serde_json::{Number, Value as Json};

use crate::secret::MASK;
use crate::tree::{self, Path, dotted};

/// Names of settings that are secret; also as the end of a name (`llm_api_key`).
const SECRET_NAMES: [&str; 4] = ["api_key", "token", "password", "secret"];

/// How much two names must look alike, from 0 to 1, for one to be suggested for the other.
const ALIKE: f64 = 0.6;

/// The name among `names` that looks most like `wrong`, if one does. Case makes no difference.
pub fn nearest_name<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    most_alike(names.into_iter().map(|name| (alike(&wrong, name), name)))
}

/// How much two names look alike, from 0 to 1.
fn alike(one: &str, other: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(one, other)
}

/// The name that looks most alike, if one does so enough; the first in the alphabet of several.
fn most_alike<T: Ord>(names: impl Iterator<Item = (f64, T)>) -> Option<T> {
    names
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)))
        .map(|(_, name)| name)
}

pub(crate) struct Schema {
    defaults: Json,
}

/// What the defaults know about a key.
#[derive(Debug, PartialEq)]
pub(crate) enum Place<'a> {
    /// This is its default.
    Known(&'a Json),
    /// Anything goes.
    Open,
    /// There is no such key.
    Unknown,
}

impl Schema {
    pub(crate) fn new(defaults: Json) -> Self {
        Self { defaults }
    }

    pub(crate) fn defaults(&self) -> &Json {
        &self.defaults
    }

    pub(crate) fn place(&self, path: &[String]) -> Place<'_> {
        let mut node = &self.defaults;
        for name in path {
            node = match node {
                Json::Object(table) if !table.is_empty() => match table.get(name) {
                    Some(child) => child,
                    None => return Place::Unknown,
                },
                // Names below a list are those of the tables in it.
                Json::Object(_) | Json::Array(_) | Json::Null => return Place::Open,
                _ => return Place::Unknown,
            };
        }
        Place::Known(node)
    }

    pub(crate) fn is_list(&self, path: &[String]) -> bool {
        matches!(self.place(path), Place::Known(Json::Array(_)))
    }

    /// Whether the value at this path must not be shown.
    pub(crate) fn is_secret(&self, path: &[String]) -> bool {
        let by_name = path.last().is_some_and(|name| names_secret(name));
        by_name || matches!(self.place(path), Place::Known(Json::String(text)) if text == MASK)
    }

    /// The key of the secret whose file this key names: `api_key` for `api_key_file`.
    pub(crate) fn secret_of_file(&self, path: &[String]) -> Option<Path> {
        let stem = path.last()?.strip_suffix("_file")?;
        let mut secret = path.to_vec();
        *secret.last_mut()? = stem.to_owned();
        let taken = matches!(self.place(path), Place::Known(_));
        let fits = self.is_secret(&secret) && self.place(&secret) != Place::Unknown;
        (fits && !taken).then_some(secret)
    }

    /// The valid name that looks most like this one. A key that exists elsewhere under the same last
    /// name counts as alike; below a misspelt section it is that section that is wrong.
    pub(crate) fn nearest(&self, path: &[String]) -> Option<String> {
        if let Some(name) = self.in_nearest_section(path) {
            return Some(name);
        }
        let wrong = dotted(path);
        let mut names = Vec::new();
        all_keys(&self.defaults, &mut Path::new(), &mut names);
        let scored = names.into_iter().map(|candidate| {
            let whole = alike(&wrong, &dotted(&candidate));
            let is_moved = candidate.last() == path.last();
            let moved = if is_moved { 0.75 } else { 0.0 };
            let last = match (candidate.split_last(), path.split_last()) {
                (Some((name, table)), Some((wrong, same))) if table == same => alike(name, wrong),
                _ => 0.0,
            };
            (whole.max(moved).max(last), dotted(&candidate))
        });
        most_alike(scored)
    }

    /// The same key in the section that looks most like one that there is not; that section alone where
    /// it has no such key. `None` when it is not a section that is misspelt.
    fn in_nearest_section(&self, path: &[String]) -> Option<String> {
        let known = (0..path.len()).find(|n| self.place(&path[..=*n]) == Place::Unknown)?;
        let (above, wrong) = (&path[..known], &path[known]);
        let rest = path.get(known + 1..).filter(|rest| !rest.is_empty())?;
        let table = match self.place(above) {
            Place::Known(Json::Object(table)) => table,
            _ => return None,
        };
        let sections = table.iter().filter(|(_, below)| below.is_object());
        let name = most_alike(sections.map(|(name, _)| (alike(name, wrong), name)))?;
        let section = [above, std::slice::from_ref(name)].concat();
        let key = [&section, rest].concat();
        Some(match self.place(&key) {
            Place::Unknown => dotted(&section),
            Place::Known(_) | Place::Open => dotted(&key),
        })
    }
}

fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends = |secret: &&str| {
        name.strip_suffix(*secret)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with(['_', '-']))
    };
    SECRET_NAMES.iter().any(ends)
}

fn all_keys(node: &Json, path: &mut Path, found: &mut Vec<Path>) {
    let Json::Object(table) = node else { return };
    for (name, child) in table {
        path.push(name.clone());
        found.push(path.clone());
        all_keys(child, path, found);
        path.pop();
    }
}

/// What a setting with this default wants, when the value is not that.
pub(crate) fn mismatch(default: &Json, value: &Json) -> Option<String> {
    let fits = match (default, value) {
        (Json::Null, _) => true,
        (Json::Bool(_), Json::Bool(_)) => true,
        (Json::Number(default), Json::Number(number)) => default.is_f64() || !number.is_f64(),
        (Json::String(_), Json::String(_)) => true,
        (Json::Array(_), Json::Array(_)) => true,
        (Json::Object(_), Json::Object(_)) => true,
        _ => false,
    };
    (!fits).then(|| wanted(default))
}

fn wanted(default: &Json) -> String {
    match default {
        Json::Null => "anything".to_owned(),
        Json::Bool(_) => "`true` or `false`".to_owned(),
        Json::Number(number) if number.is_f64() => format!("a number such as `{number}`"),
        Json::Number(number) => format!("a whole number such as `{number}`"),
        Json::String(text) if text.is_empty() || text == MASK => "text in quotes".to_owned(),
        Json::String(text) => format!("text in quotes such as `\"{text}\"`"),
        Json::Array(_) => "a list".to_owned(),
        Json::Object(table) if table.is_empty() => "a table".to_owned(),
        Json::Object(table) => {
            let names: Vec<String> = table.keys().map(|name| format!("`{name}`")).collect();
            format!("a table with {}", names.join(", "))
        }
    }
}

/// Text from the environment or a flag, read as what a setting with this default wants; the text
/// itself where it cannot be read so.
pub(crate) fn read_text(text: &str, default: Option<&Json>, list: bool) -> Json {
    let plain = || Json::String(text.to_owned());
    let structured = text.trim_start().starts_with(['[', '{']);
    if list {
        return match structured.then(|| read_structure(text)).flatten() {
            Some(value) => value,
            None => read_list(text),
        };
    }
    match default {
        Some(Json::String(_)) => plain(),
        Some(Json::Bool(_)) => read_bool(text).unwrap_or_else(plain),
        Some(Json::Number(default)) if default.is_f64() => read_real(text).unwrap_or_else(plain),
        Some(Json::Number(_)) => read_whole(text).unwrap_or_else(plain),
        _ if structured => read_structure(text).unwrap_or_else(plain),
        _ => plain(),
    }
}

/// Text read as a truth value or a number, when it looks like one: the second try, for settings whose
/// default says nothing and whose type refused the text.
pub(crate) fn read_scalar(text: &str) -> Option<Json> {
    read_bool(text)
        .or_else(|| read_whole(text))
        .or_else(|| read_real(text))
}

fn read_bool(text: &str) -> Option<Json> {
    text.trim().parse().ok().map(Json::Bool)
}

fn read_whole(text: &str) -> Option<Json> {
    let text = text.trim();
    let unsigned = text.parse::<u64>().ok().map(Number::from);
    unsigned
        .or_else(|| text.parse::<i64>().ok().map(Number::from))
        .map(Json::Number)
}

fn read_real(text: &str) -> Option<Json> {
    let number = text.trim().parse::<f64>().ok()?;
    Number::from_f64(number).map(Json::Number)
}

fn read_list(text: &str) -> Json {
    let items = text.split(',').map(str::trim);
    items
        .filter(|item| !item.is_empty())
        .map(|item| Json::String(item.to_owned()))
        .collect()
}

/// A list or table in the notation of JSON, or of TOML.
fn read_structure(text: &str) -> Option<Json> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let mut table = crate::sources::read_toml(&format!("value = {text}")).ok()?;
    tree::remove(&mut table, &["value".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Schema {
        let defaults = json!({
            "nats": {"url": "nats://localhost", "password": "", "key_file": "x"},
            "llm": {"nodes": {}, "timeout": "30s", "api_key": null},
        });
        Schema::new(defaults)
    }

    #[test]
    fn knows_closed_open_and_unknown() {
        let schema = schema();
        let place = |key: &str| schema.place(&tree::split(key));
        assert_eq!(
            place("nats.url"),
            Place::Known(&json!("nats://localhost")),
            "a key of a closed table"
        );
        assert_eq!(place("nats.port"), Place::Unknown);
        assert_eq!(place("nats.url.host"), Place::Unknown);
        assert_eq!(place("llm.nodes.gpu1.url"), Place::Open);
        assert_eq!(place("llm.api_key"), Place::Known(&json!(null)));
        assert_eq!(place("llm.api_key.of"), Place::Open);
    }

    #[test]
    fn finds_the_secret_of_a_file() {
        let schema = schema();
        let secret = |key: &str| schema.secret_of_file(&tree::split(key)).map(|p| dotted(&p));
        assert_eq!(
            secret("nats.password_file").as_deref(),
            Some("nats.password")
        );
        assert_eq!(
            secret("llm.nodes.a.api_key_file").as_deref(),
            Some("llm.nodes.a.api_key")
        );
        assert_eq!(secret("nats.key_file"), None, "a setting of its own");
        assert_eq!(secret("nats.url_file"), None, "no secret");
        assert_eq!(secret("nats.token_file"), None, "no such secret");
    }

    #[test]
    fn suggests_near_names_only() {
        let schema = schema();
        let nearest = |key: &str| schema.nearest(&tree::split(key));
        assert_eq!(nearest("nats.ulr").as_deref(), Some("nats.url"));
        assert_eq!(nearest("llm.timeuot").as_deref(), Some("llm.timeout"));
        assert_eq!(nearest("url").as_deref(), Some("nats.url"));
        assert_eq!(nearest("quota.per_tenant"), None);
        // A misspelt section, whatever stands in it.
        assert_eq!(nearest("lml.timeout").as_deref(), Some("llm.timeout"));
        assert_eq!(nearest("lml.url").as_deref(), Some("llm"));
        assert_eq!(
            nearest("lml.nodes.a.url").as_deref(),
            Some("llm.nodes.a.url")
        );
    }

    #[test]
    fn text_is_read_as_the_default_wants_it() {
        let read = |text: &str, default: Json| read_text(text, Some(&default), default.is_array());
        assert_eq!(read("0123", json!("")), json!("0123"));
        assert_eq!(read("0123", json!(7)), json!(123));
        assert_eq!(read("2", json!(1.5)), json!(2.0));
        assert_eq!(read("true", json!(false)), json!(true));
        assert_eq!(read("yes", json!(false)), json!("yes"), "left to refuse");
        assert_eq!(read("a, b,", json!([])), json!(["a", "b"]));
        assert_eq!(read("[{url = \"x\"}]", json!([])), json!([{"url": "x"}]));
        assert_eq!(read("{\"a\": 1}", json!({})), json!({"a": 1}));
    }
}
