//! The progress line on stderr. On a terminal it is redrawn in place; elsewhere it is printed anew from time to time,
//! for readers of a log.
//!
//! *Not* used where results are JSON, because stderr is then for errors alone. Work that ends at once shows no
//! progress.

use crate::cli::Output;
use crate::out::eprintln;
use crate::out::is_quiet;
use corpus_sync::SyncProgress;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use text::line_of;

/// The bar of an indexing run.
const DOCUMENTS: &str =
    "{spinner} indexing {wide_bar} {pos} of {len} documents, {rate}, {eta} left{msg}";
/// The bar of a download.
const BYTES: &str =
    "{spinner} {msg} {wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";

/// From when on a file is named that is read, and in how many characters.
const SLOW: Duration = Duration::from_secs(3);
const NAME_CHARS_MAX: usize = 50;

/// How long a log gets no line.
const SAY_EVERY: Duration = Duration::from_secs(10);

/// A progress line.
pub struct ProgressLine(Shown);

enum Shown {
    Nowhere,
    Bar(ProgressBar),
    Log(Pace),
}

/// When the last line was written.
struct Pace(Mutex<Instant>);

impl Pace {
    /// Whether a line may be written again; the caller that gets true writes it.
    fn is_due(&self, now: Instant) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = now.saturating_duration_since(*last) >= SAY_EVERY;
        if is_due {
            *last = now;
        }
        is_due
    }

    fn say(&self, text: impl FnOnce() -> String) {
        if self.is_due(Instant::now()) {
            eprintln!("{}", text());
        }
    }
}

impl ProgressLine {
    /// A progress line, or one that shows nothing when results are for programs or stderr is quiet.
    pub fn new(output: Output) -> ProgressLine {
        if output == Output::Json || is_quiet() {
            return ProgressLine(Shown::Nowhere);
        }
        if !std::io::stderr().is_terminal() {
            return ProgressLine(Shown::Log(Pace(Mutex::new(Instant::now()))));
        }
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(100));
        ProgressLine(Shown::Bar(bar))
    }

    /// A progress line that shows nothing.
    pub fn nowhere() -> ProgressLine {
        ProgressLine(Shown::Nowhere)
    }

    /// Whether this line shows nothing.
    pub(crate) fn is_nowhere(&self) -> bool {
        matches!(self.0, Shown::Nowhere)
    }

    /// Shows another text.
    pub fn say(&self, text: String) {
        match &self.0 {
            Shown::Nowhere => {}
            Shown::Bar(bar) => bar.set_message(text),
            Shown::Log(pace) => pace.say(|| text),
        }
    }

    /// Shows how far an indexing run is: a count while files are looked at, then a bar with the rate and the time
    /// left.
    pub fn show(&self, progress: SyncProgress) {
        let drawn = match progress {
            SyncProgress::Scanned(_) => None,
            SyncProgress::Done(done, total) => Some((done as u64, total as u64, DOCUMENTS)),
        };
        let slow = slow(documents::reader::apart::slowest());
        self.draw(drawn, || indexing(progress) + &slow, slow.clone());
    }

    /// Shows how far a download is: a bar with the rate and the time left, where the size is known.
    pub fn bytes(&self, what: &str, done: u64, total: Option<u64>) {
        let drawn = total.map(|total| (done, total, BYTES));
        self.draw(drawn, || loading(what, done, total), what.to_owned());
    }

    /// Draws a bar, of which so much is done, beside `title`; without a bar, or in a log, shows the text instead.
    fn draw(&self, drawn: Option<(u64, u64, &str)>, text: impl FnOnce() -> String, title: String) {
        match (&self.0, drawn) {
            (Shown::Nowhere, _) => {}
            (Shown::Log(pace), _) => pace.say(text),
            (Shown::Bar(bar), None) => bar.set_message(text()),
            (Shown::Bar(bar), Some((done, total, template))) => {
                if bar.length() != Some(total) {
                    if let Ok(style) = ProgressStyle::with_template(template) {
                        let rate = |state: &ProgressState, w: &mut dyn Write| {
                            let _ = write!(w, "{:.0}/s", state.per_sec());
                        };
                        bar.set_style(style.with_key("rate", rate));
                    }
                    bar.set_length(total);
                    bar.reset_eta();
                }
                bar.set_message(title);
                bar.set_position(done);
            }
        }
    }

    /// Removes the line.
    pub fn done(self) {
        if let Shown::Bar(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}

fn indexing(progress: SyncProgress) -> String {
    match progress {
        SyncProgress::Scanned(n) => format!("looking at the files: {n}"),
        SyncProgress::Done(done, total) => format!("indexing: {done} of {total} documents"),
    }
}

/// Names a file that takes long.
fn slow(slowest: Option<(String, Duration)>) -> String {
    match slowest.filter(|(_, time)| *time >= SLOW) {
        Some((source, time)) => {
            let source = line_of(&source, NAME_CHARS_MAX);
            format!("; reading {source}, {} s", time.as_secs())
        }
        None => String::new(),
    }
}

fn loading(what: &str, done: u64, total: Option<u64>) -> String {
    let done = done / 1_000_000;
    match total {
        None => format!("{what}: {done} MB"),
        Some(total) => format!("{what}: {done} of {} MB", total / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_hears_of_it_every_so_often_and_of_what_is_short_never() {
        let start = Instant::now();
        let pace = Pace(Mutex::new(start));
        let at = |seconds| pace.is_due(start + Duration::from_secs(seconds));
        let said = [0, 9, 10, 11, 19, 25, 34, 35].map(at);
        assert_eq!(said, [false, false, true, false, false, true, false, true]);
    }

    #[test]
    fn what_is_said_has_its_numbers() {
        assert_eq!(
            indexing(SyncProgress::Scanned(7)),
            "looking at the files: 7"
        );
        let half = indexing(SyncProgress::Done(20, 40));
        assert_eq!(half, "indexing: 20 of 40 documents");
        let reading = |seconds| slow(Some(("a/scan.pdf".into(), Duration::from_secs(seconds))));
        assert_eq!(
            [reading(2), reading(12)],
            ["", "; reading a/scan.pdf, 12 s"]
        );
        let part = loading("model.onnx", 45_100_000, Some(90_900_000));
        assert_eq!(part, "model.onnx: 45 of 90 MB");
        assert_eq!(loading("a", 1_000_000, None), "a: 1 MB");
    }
}
