//! Shows the progress of a question on the terminal: a line for the current step, and below it the draft while it is
//! written.
//!
//! *Not* here: the answer. The draft is removed from the screen before the answer is shown, and also when there is no
//! answer.

use crate::cli::{HowArgs, Output};
use crate::cli_error::CliError;
use crate::render::draft::Canvas;
use crate::render::{self, ProgressLine};
use bus::Bus;
use envelope::Terminal;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use streams::client::{DraftText, News, UNTAKEN};

/// The progress display of one question.
struct Watch {
    output: Output,
    line: ProgressLine,
    now: String,
    canvas: Option<Canvas>,
    draft: DraftText,
    /// When a wait began, and how long it was expected to be.
    wait: Option<(Instant, Duration)>,
}

/// The width of the bar that shows how much of a wait is over, in characters.
const BAR: usize = 20;

/// The exit code of a process that Ctrl-C has ended, as shells count it.
const INTERRUPTED: i32 = 130;

/// The fields of a question that say how it is answered.
pub(crate) fn fields(args: &HowArgs) -> Map<String, Value> {
    let buckets = (!args.buckets.is_empty()).then_some(&args.buckets);
    let budget = given(json!({"rounds": args.rounds, "searches": args.searches}));
    given(json!({
        "buckets": buckets,
        "mode": args.mode,
        "model": args.model,
        "profile": args.profile,
        "budget": (!budget.is_empty()).then_some(budget),
        "score_min": args.score_min,
    }))
}

/// The fields that have a value.
pub(crate) fn given(fields: Value) -> Map<String, Value> {
    let all = match fields {
        Value::Object(all) => all,
        _ => Map::new(),
    };
    all.into_iter()
        .filter(|(_, value)| !value.is_null())
        .collect()
}

/// What `--filters` says.
pub(crate) fn filters(text: &str) -> Result<Value, CliError> {
    serde_json::from_str(text).map_err(|error| {
        CliError::usage(format!("--filters is not JSON: {error}"))
            .hint(r#"as in --filters '{"total_amount":{"gte":1000}}'"#)
    })
}

/// Asks one question in a command that does nothing else. Ctrl-C ends the process, as it does by default, but the
/// draft is removed from the screen first.
pub(crate) async fn ask_once(
    bus: &dyn Bus,
    ask: streams::client::Ask,
    output: Output,
    canvas: Option<Canvas>,
) -> Result<Terminal, CliError> {
    let has_canvas = canvas.is_some();
    tokio::select! {
        asked = ask_and_show(bus, ask, output, canvas) => asked,
        Ok(()) = tokio::signal::ctrl_c(), if has_canvas => std::process::exit(INTERRUPTED),
    }
}

/// Asks a question and shows progress meanwhile, with the draft where there is a place for it.
pub(crate) async fn ask_and_show(
    bus: &dyn Bus,
    mut ask: streams::client::Ask,
    output: Output,
    canvas: Option<Canvas>,
) -> Result<Terminal, CliError> {
    let mut watch = Watch {
        output,
        line: ProgressLine::new(output),
        now: "asked".to_owned(),
        canvas,
        draft: DraftText::default(),
        wait: None,
    };
    watch.line.say(watch.now.clone());
    // Where nothing is shown, nothing need be told.
    let is_watched = !watch.line.is_nowhere();
    ask.fields.insert("stream".into(), is_watched.into());
    let terminal = streams::client::ask(bus, ask, |news| watch.hear(&news)).await;
    watch.done();
    Ok(terminal?)
}

impl Watch {
    fn hear(&mut self, news: &News<'_>) {
        let is_other = self.draft.hear(news);
        match news {
            News::Stage(entry) => {
                self.wait = None;
                self.now = format!("{}: {}", entry.role, render::one_line(&entry.decided, 70));
                self.say(self.now.clone());
            }
            News::Waiting { is_untaken: true } => self.say(UNTAKEN.to_owned()),
            News::Expected(wait) => {
                let expected = Duration::from_millis(wait.expected_ms);
                self.wait = Some((Instant::now(), expected));
                self.now = format!("{}: waits for the model", wait.role);
                self.say(self.now_and_bar());
            }
            News::Waiting { is_untaken: false } => self.say(self.now_and_bar()),
            News::Text(_) if is_other => self.say(self.now_and_bar()),
            News::Text(_) => {}
        }
    }

    fn now_and_bar(&self) -> String {
        match self.wait {
            Some((began, expected)) => format!("{}, {}", self.now, bar(began.elapsed(), expected)),
            None => self.now.clone(),
        }
    }

    /// Says what happens now, above the draft if there is one.
    fn say(&mut self, now: String) {
        let draft = self.draft.text();
        match &mut self.canvas {
            Some(canvas) if !draft.is_empty() => {
                std::mem::replace(&mut self.line, ProgressLine::nowhere()).done();
                canvas.show(&now, draft);
            }
            canvas => {
                if let Some(canvas) = canvas {
                    canvas.clear();
                }
                if self.line.is_nowhere() {
                    self.line = ProgressLine::new(self.output);
                }
                self.line.say(now);
            }
        }
    }

    /// Removes everything that was shown.
    fn done(self) {
        self.line.done();
    }
}

/// How much of a wait is over, as a bar and in seconds.
fn bar(over: Duration, expected: Duration) -> String {
    let (over, expected) = (over.as_secs_f64(), expected.as_secs_f64());
    if over >= expected {
        return format!("{over:.0} s, longer than the expected {expected:.0} s");
    }
    let full = (over / expected * BAR as f64) as usize;
    let (full, empty) = ("█".repeat(full), "░".repeat(BAR - full));
    format!("{full}{empty} about {:.0} s left", expected - over)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_when_the_wait_should_be_over() {
        let at = |over| bar(Duration::from_secs(over), Duration::from_secs(20));
        assert_eq!(at(0), format!("{} about 20 s left", "░".repeat(BAR)));
        let half = format!("{0}{1}", "█".repeat(BAR / 2), "░".repeat(BAR / 2));
        assert_eq!(at(10), format!("{half} about 10 s left"));
        assert_eq!(at(25), "25 s, longer than the expected 20 s");
        assert_eq!(
            bar(Duration::ZERO, Duration::ZERO),
            "0 s, longer than the expected 0 s"
        );
    }
}
