//! Runs a command on a real terminal: the test types keys and waits for text on the screen.

use crate::fleet::{PATIENCE, until};
use testkit::screen;
use testkit::terminal::PseudoTerminal;
use tokio::process::{Child, Command};
use tokio::time::timeout;

const ROWS: u16 = 24;
const COLUMNS: u16 = 100;

/// The command, and its terminal.
pub(crate) struct Typed {
    terminal: PseudoTerminal,
    child: Child,
}

impl Typed {
    pub(crate) fn begin(mut command: Command) -> Typed {
        let terminal = PseudoTerminal::new(ROWS, COLUMNS).expect("a terminal");
        command
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .stdin(terminal.end().expect("an end"))
            .stdout(terminal.end().expect("an end"))
            .stderr(terminal.end().expect("an end"));
        let child = command.spawn().expect("it runs");
        Typed { terminal, child }
    }

    pub(crate) fn child(&self) -> &Child {
        &self.child
    }

    pub(crate) fn types(&mut self, keys: &str) {
        self.terminal.types(keys).expect("keys");
    }

    /// Everything that was written, with its codes.
    pub(crate) fn seen(&mut self) -> String {
        self.terminal.seen()
    }

    /// The current contents of the terminal.
    pub(crate) fn screen(&mut self) -> String {
        let rows = screen::rows(&self.terminal.seen(), ROWS.into(), COLUMNS.into());
        rows.join("\n").trim_end().to_owned()
    }

    /// Waits until the terminal's contents satisfy `wanted`.
    pub(crate) async fn sees(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        until(what, async || {
            let screen = self.screen();
            wanted(&screen).then_some(screen)
        })
        .await
    }

    /// Waits until it ends.
    pub(crate) async fn end(&mut self) -> Option<i32> {
        let ended = timeout(PATIENCE, self.child.wait()).await;
        ended.expect("an end in time").expect("an end").code()
    }
}
