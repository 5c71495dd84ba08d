//! SIGTERM and Ctrl-C: the first drains, the second exits at once with 1.

use std::future::Future;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Waits for `work`; the first signal cancels `stop`, the second ends the process.
pub async fn stop_on_signal(stop: &CancellationToken, work: impl Future<Output = ()>) {
    let (mut term, mut int) = (
        listen(SignalKind::terminate()),
        listen(SignalKind::interrupt()),
    );
    tokio::pin!(work);
    loop {
        tokio::select! {
            () = &mut work => return,
            () = next(&mut term) => {}
            () = next(&mut int) => {}
        }
        if stop.is_cancelled() {
            tracing::warn!("second signal: ending without draining");
            std::process::exit(1);
        }
        tracing::info!("told to stop: draining; a second signal ends at once");
        stop.cancel();
    }
}

/// Does work that only looks on: a signal ends it there and then, and nothing comes of it.
pub async fn unless_told<T>(work: impl Future<Output = T>) -> Option<T> {
    let stop = CancellationToken::new();
    let mut done = None;
    stop_on_signal(&stop, async {
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            ended = work => done = Some(ended),
        }
    })
    .await;
    done
}

fn listen(kind: SignalKind) -> Option<Signal> {
    let listening = signal(kind);
    if let Err(error) = &listening {
        tracing::warn!(%error, "a signal cannot be heard");
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
