//! The log subscriber: one line per event on stderr, as text for people or as JSON for machines. The caller decides
//! whether to use colours, because it knows about `NO_COLOR`; nothing here reads the environment.

use std::fmt;
use std::io::IsTerminal;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tracing::Subscriber;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::error::Error;

/// What a log line looks like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Text.
    Human,
    /// One JSON object per line; the fields of the event stand at the top level.
    Json,
    /// Text when stderr is a terminal, JSON otherwise.
    #[default]
    Auto,
}

impl LogFormat {
    /// The word for settings and flags.
    pub const fn as_str(self) -> &'static str {
        match self {
            LogFormat::Human => "human",
            LogFormat::Json => "json",
            LogFormat::Auto => "auto",
        }
    }

    fn is_json(self, terminal: bool) -> bool {
        match self {
            LogFormat::Human => false,
            LogFormat::Json => true,
            LogFormat::Auto => !terminal,
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for LogFormat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = [LogFormat::Human, LogFormat::Json, LogFormat::Auto];
        let found = all.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| Error::LogFormat {
            format: text.to_owned(),
        })
    }
}

/// Sends the logs of this process to stderr. `level` is a level, or directives such as
/// `info,harness=debug`; colour is used for text only, and only on a terminal even when allowed.
///
/// # Errors
/// [`Error::LogLevel`], and [`Error::LogsTwice`] when a subscriber is already set.
pub fn init(format: LogFormat, level: &str, colour_allowed: bool) -> Result<(), Error> {
    let terminal = std::io::stderr().is_terminal();
    let json = format.is_json(terminal);
    let subscriber = subscriber(json, level, colour_allowed && terminal, std::io::stderr)?;
    tracing::subscriber::set_global_default(subscriber).map_err(|_| Error::LogsTwice)
}

/// The subscriber for any writer.
fn subscriber<W>(
    json: bool,
    level: &str,
    colour: bool,
    writer: W,
) -> Result<Box<dyn Subscriber + Send + Sync>, Error>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let wrong = |reason: String| Error::LogLevel {
        level: level.to_owned(),
        reason,
    };
    // A word alone would be taken for the name of a module, and a misspelt level for silence.
    let alone = |part: &&str| {
        !part.is_empty() && !part.contains(['=', '[']) && LevelFilter::from_str(part).is_err()
    };
    if let Some(word) = level.split(',').map(str::trim).find(alone) {
        return Err(wrong(format!(
            "`{word}` is no level: want off, error, warn, info, debug or trace"
        )));
    }
    let filter = EnvFilter::try_new(level).map_err(|error| wrong(error.to_string()))?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // A log without a reader is no reason to panic in the middle of a drain.
        .log_internal_errors(false)
        .with_writer(writer);
    Ok(if json {
        // The current span shows which work it was; the list of all spans would repeat it.
        let builder = builder.json().flatten_event(true).with_span_list(false);
        Box::new(builder.finish())
    } else {
        Box::new(builder.with_ansi(colour).finish())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn logged(json: bool, colour: bool) -> String {
        let buffer = Buffer::default();
        let writer = buffer.clone();
        let subscriber = subscriber(json, "info", colour, move || writer.clone()).unwrap();
        tracing::subscriber::with_default(subscriber, || {
            let span = tracing::info_span!("mapper", turn = "t1");
            let _entered = span.enter();
            tracing::info!(hop = 3, "step done");
            tracing::debug!("not shown");
        });
        let bytes = buffer.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn json_lines_have_fields_and_the_span() {
        let text = logged(true, true);
        assert_eq!(text.lines().count(), 1, "{text}");
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line["message"], "step done");
        assert_eq!(line["hop"], 3);
        assert_eq!(line["level"], "INFO");
        assert_eq!(line["span"]["turn"], "t1");
    }

    #[test]
    fn text_is_coloured_only_when_told() {
        let plain = logged(false, false);
        assert!(plain.contains("step done hop=3"), "{plain}");
        assert!(!plain.contains('\u{1b}'), "{plain}");
        assert!(logged(false, true).contains('\u{1b}'));
    }

    #[test]
    fn auto_follows_the_terminal() {
        assert!(LogFormat::Auto.is_json(false) && !LogFormat::Auto.is_json(true));
        assert!(LogFormat::Json.is_json(true) && !LogFormat::Human.is_json(false));
    }

    #[test]
    fn a_bad_level_and_a_bad_format_are_named() {
        let misspelt = subscriber(true, "inof", false, std::io::stderr).err();
        assert!(misspelt.is_some_and(|e| e.to_string().contains("`inof` is no level")));
        let error = subscriber(true, "harness=loud", false, std::io::stderr).err();
        let text = error.unwrap().to_string();
        assert!(
            text.starts_with("log level `harness=loud` is not understood: "),
            "{text}"
        );
        let error = "xml".parse::<LogFormat>().unwrap_err().to_string();
        assert_eq!(
            error,
            "log format `xml` is not one of `human`, `json`, `auto`"
        );
        assert_eq!("json".parse::<LogFormat>().unwrap(), LogFormat::Json);
    }
}
