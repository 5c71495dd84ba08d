//! Reads lines at the prompt, with line editing and a history of earlier lines.
//!
//! The history is in the file `chat_history.txt` of the data folder, which only its owner can read. Reading blocks,
//! so it has a thread of its own.

use crate::cli_error::CliError;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use tokio::task::spawn_blocking;

/// How many lines the history keeps.
const LINES_MAX: usize = 1_000;

/// The result of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// A line that is not empty.
    Line(String),
    /// The end of the input.
    End,
}

/// A prompt, and the file of its history.
pub(super) struct Prompt {
    editor: Option<Box<Editor<(), FileHistory>>>,
    kept: Option<PathBuf>,
}

impl Prompt {
    /// Makes a prompt. Its history is kept in `data_dir` where a user types.
    pub(super) fn new(data_dir: &Path) -> Result<Prompt, CliError> {
        let config = Config::builder().max_history_size(LINES_MAX);
        let config = config.and_then(|config| config.history_ignore_dups(true));
        let config = config
            .map_err(|error| broken(&error))?
            .auto_add_history(true);
        let mut editor = Editor::with_config(config.build()).map_err(|error| broken(&error))?;
        let kept = std::io::stdin()
            .is_terminal()
            .then(|| data_dir.join("chat_history.txt"));
        if let Some(kept) = &kept {
            // None there yet is as good.
            let _ = editor.load_history(kept);
        }
        Ok(Prompt {
            editor: Some(Box::new(editor)),
            kept,
        })
    }

    /// The next line. Ctrl-C begins the line anew, Ctrl-D ends.
    pub(super) async fn next(&mut self, prompt: &str) -> Result<Typed, CliError> {
        loop {
            let Some(mut editor) = self.editor.take() else {
                return Ok(Typed::End);
            };
            let (prompt, kept) = (prompt.to_owned(), self.kept.clone());
            let typed = spawn_blocking(move || {
                let line = editor.readline(&prompt);
                if let (Ok(_), Some(kept)) = (&line, kept) {
                    keep(&mut editor, &kept);
                }
                (editor, line)
            });
            let (editor, line) = typed
                .await
                .map_err(|error| CliError::negative(error.to_string()))?;
            self.editor = Some(editor);
            match line {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => return Ok(Typed::Line(line.trim().to_owned())),
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => return Ok(Typed::End),
                Err(error) => return Err(broken(&error)),
            }
        }
    }
}

/// Keeps the history. A failure to do so does not end the chat.
fn keep(editor: &mut Editor<(), FileHistory>, kept: &Path) {
    if let Some(dir) = kept.parent() {
        let _ = std::fs::create_dir_all(dir);
    }
    if let Err(error) = editor.append_history(kept) {
        tracing::debug!(%error, "what was typed is not kept");
    }
}

fn broken(error: &ReadlineError) -> CliError {
    CliError::negative(format!("the prompt does not work: {error}"))
}
