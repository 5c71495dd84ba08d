//! Watches how full the streams are. Acks free no room on a Limits stream, and a stream with schedules drops its
//! oldest messages silently. Therefore questions are taken only while the streams have headroom.

use crate::sweep;
use crate::turns::Turns;
use bus::Stream;
use std::time::Duration;
use telemetry::Health;

/// The streams that a running turn still has to write to. Questions are taken only while each of them has room.
pub const WATCHED: [Stream; 3] = [Stream::Steps(0), Stream::Timers, Stream::Answers];
/// How often the waiting questions are swept while no questions are taken, because they still expire then.
const SWEEP_WHILE_SHORT: Duration = Duration::from_secs(5);

/// Watches until it is dropped.
pub(crate) async fn watch(turns: &Turns, health: &Health) {
    let mut swept = tokio::time::Instant::now();
    loop {
        match fullest(turns).await {
            Ok((stream, fill)) => {
                let short = fill >= turns.options.room_limit;
                if turns.room.set(short) {
                    say(stream, fill, short, health);
                }
            }
            Err(error) => tracing::debug!(%error, "room not known"),
        }
        if turns.room.is_short() && swept.elapsed() >= SWEEP_WHILE_SHORT {
            swept = tokio::time::Instant::now();
            if let Err(error) = sweep::sweep(turns).await {
                tracing::warn!(%error, "waiting questions could not be looked at");
            }
        }
        tokio::time::sleep(turns.options.room_every.duration()).await;
    }
}

async fn fullest(turns: &Turns) -> Result<(Stream, f64), bus::BusError> {
    let mut fullest = (WATCHED[0], 0.0);
    for stream in WATCHED {
        let state = turns.bus.state(stream).await?;
        turns.metrics.stream(stream, Some(&state));
        let fill = state.fill();
        if fill > fullest.1 {
            fullest = (stream, fill);
        }
    }
    Ok(fullest)
}

fn say(stream: Stream, fill: f64, short: bool, health: &Health) {
    let (stream, percent) = (stream.name(), (fill * 100.0).round());
    if short {
        tracing::error!(
            stream,
            percent,
            "no room: questions wait in the inbox until there is"
        );
        health.not_ready(
            "room",
            format!("{stream} is {percent} % full; questions wait"),
        );
    } else {
        tracing::info!(stream, percent, "room again: questions are taken");
        health.ready("room");
    }
}
