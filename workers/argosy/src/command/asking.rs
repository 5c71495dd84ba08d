//! Shows the progress of a question on the terminal: a line for the current step, and below it the draft while it is
//! written.
//!
//! *Not* here: the answer. The draft is removed from the screen before the answer is shown, and also when there is no
//! answer.

use crate::cli::Output;
use crate::cli_error::CliError;
use crate::render::draft::Canvas;
use crate::render::{self, ProgressLine};
use bus::Bus;
use client::{DraftText, News, UNTAKEN};
use envelope::Terminal;

/// The progress display of one question.
struct Watch {
    output: Output,
    line: ProgressLine,
    now: String,
    canvas: Option<Canvas>,
    draft: DraftText,
}

/// The exit code of a process that Ctrl-C has ended, as shells count it.
const INTERRUPTED: i32 = 130;

/// Asks one question in a command that does nothing else. Ctrl-C ends the process, as it does by default, but the
/// draft is removed from the screen first.
pub(crate) async fn ask_once(
    bus: &dyn Bus,
    ask: client::Ask,
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
    mut ask: client::Ask,
    output: Output,
    canvas: Option<Canvas>,
) -> Result<Terminal, CliError> {
    let mut watch = Watch {
        output,
        line: ProgressLine::new(output),
        now: "asked".to_owned(),
        canvas,
        draft: DraftText::default(),
    };
    watch.line.say(watch.now.clone());
    // Where nothing is shown, nothing need be told.
    let is_watched = !watch.line.is_nowhere();
    ask.fields.insert("stream".into(), is_watched.into());
    let terminal = client::ask(bus, ask, |news| watch.hear(&news)).await;
    watch.done();
    Ok(terminal?)
}

impl Watch {
    fn hear(&mut self, news: &News<'_>) {
        let is_other = self.draft.hear(news);
        match news {
            News::Stage(entry) => {
                self.now = format!("{}: {}", entry.role, render::one_line(&entry.decided, 70));
                self.say(self.now.clone());
            }
            News::Waiting { is_untaken: true } => self.say(UNTAKEN.to_owned()),
            News::Waiting { is_untaken: false } => self.say(self.now.clone()),
            News::Text(_) if is_other => self.say(self.now.clone()),
            News::Text(_) => {}
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
