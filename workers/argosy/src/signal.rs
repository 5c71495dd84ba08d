//! Handles SIGTERM and Ctrl-C: the first signal drains the process, and the second one ends it at once with exit code
//! 1.

use std::future::Future;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Both signals, heard from the creation of this value on. A signal that comes between two waits is kept for the next
/// one.
#[derive(Debug)]
pub struct Signals {
    term: Option<Signal>,
    int: Option<Signal>,
}

impl Signals {
    /// Listens for signals from now on.
    pub fn listen() -> Signals {
        Signals {
            term: listen(SignalKind::terminate()),
            int: listen(SignalKind::interrupt()),
        }
    }

    /// Waits for `work`; the first signal cancels `stop`, the second ends the process.
    pub async fn stop_on_signal(
        &mut self,
        stop: &CancellationToken,
        work: impl Future<Output = ()>,
    ) {
        tokio::pin!(work);
        loop {
            tokio::select! {
                () = &mut work => return,
                () = next(&mut self.term) => {}
                () = next(&mut self.int) => {}
            }
            if stop.is_cancelled() {
                tracing::warn!("second signal: ending without draining");
                std::process::exit(1);
            }
            tracing::info!("told to stop: draining; a second signal ends at once");
            stop.cancel();
        }
    }

    /// Runs work that only reads. A signal ends it at once, without a result.
    pub(crate) async fn unless_told<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let stop = CancellationToken::new();
        let mut done = None;
        let watched = async {
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                ended = work => done = Some(ended),
            }
        };
        self.stop_on_signal(&stop, watched).await;
        done
    }
}

/// [`Signals::stop_on_signal`] for a caller that waits once.
pub async fn stop_on_signal(stop: &CancellationToken, work: impl Future<Output = ()>) {
    Signals::listen().stop_on_signal(stop, work).await;
}

/// Runs work that only reads, or whose processes end where it is dropped. A signal ends it at once, without a result.
pub async fn unless_told<T>(work: impl Future<Output = T>) -> Option<T> {
    Signals::listen().unless_told(work).await
}

fn listen(kind: SignalKind) -> Option<Signal> {
    let listening = signal(kind);
    if let Err(error) = &listening {
        tracing::warn!(%error, "signals cannot be received");
    }
    listening.ok()
}

async fn next(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::Duration;

    /// A signal between two waits, as while a fleet has been announced and is not watched yet.
    #[tokio::test]
    async fn a_signal_that_comes_while_nobody_waits_is_not_lost() {
        let mut signals = Signals::listen();
        assert_eq!(signals.unless_told(async { 1 }).await, Some(1));
        let kill = ["-INT", &std::process::id().to_string()].map(str::to_owned);
        assert!(Command::new("kill").args(kill).status().unwrap().success());
        let forever = signals.unless_told(std::future::pending::<()>());
        let told = tokio::time::timeout(Duration::from_secs(30), forever).await;
        assert_eq!(told, Ok(None));
    }
}
