//! `argosy status` and `argosy top`: the whole fleet at a glance, once or live.

use crate::cli::{self, Output};
use crate::command::connect;
use crate::config::Config;
use crate::fail::Fail;
use crate::out::{print, println};
use crate::render::status::table;
use crate::signal;
use crate::status::{Key, Status, look, status};
use harness::bus::Bus;
use harness::nats::{NatsBus, without_secrets};
use harness::topology::Topology;
use owo_colors::OwoColorize;
use std::io::{IsTerminal, Write};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Most time for one look of `top`; a server that takes longer is away.
const LOOK_MAX: Duration = Duration::from_secs(5);

/// Shows the fleet once.
pub async fn once(args: cli::Status, config: Config, output: Output) -> Result<(), Fail> {
    let bus = connect(&config).await?;
    let facts = look(&*bus, &config.topology(), args.turn.as_ref()).await?;
    let status = status(&facts, config.gateway.room_limit).sorted(args.sort);
    match output {
        Output::Json => println!("{}", json(&status)?),
        _ => print!("{}", table(&status)),
    }
    Ok(())
}

/// Shows the fleet again and again, until it is told to stop. A server that goes away is waited for.
pub async fn top(args: cli::Top, config: Config, output: Output) -> Result<(), Fail> {
    let bus = connect(&config).await?;
    let stop = CancellationToken::new();
    let screen = Screen::taken(output);
    let live = Live {
        bus: &bus,
        topology: config.topology(),
        room_limit: config.gateway.room_limit,
        server: without_secrets(&config.nats.url),
        every: Duration::from_secs(args.every),
        sort: args.sort,
        screen: &screen,
        output,
    };
    let mut shown = Ok(());
    signal::stop_on_signal(&stop, async {
        let count = args.count.unwrap_or(u64::MAX);
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            ended = live.run(count) => shown = ended,
        }
    })
    .await;
    shown
}

fn json(status: &Status) -> Result<String, Fail> {
    serde_json::to_string(status).map_err(|e| Fail::negative(e.to_string()))
}

/// What `top` shows, and where.
struct Live<'a> {
    bus: &'a NatsBus,
    topology: Topology,
    room_limit: f64,
    server: String,
    every: Duration,
    sort: Key,
    screen: &'a Screen,
    output: Output,
}

impl Live<'_> {
    async fn run(&self, count: u64) -> Result<(), Fail> {
        let mut ticks = tokio::time::interval(self.every);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut last = None;
        for _ in 0..count {
            ticks.tick().await;
            match self.look().await {
                Ok(status) => {
                    self.show(&status, None)?;
                    last = Some(status);
                }
                Err(why) => match (&last, self.output) {
                    (Some(status), Output::Text) => self.show(status, Some(&why))?,
                    // The first look has to succeed: a fleet that is not set up stays so.
                    (None, _) => return Err(why),
                    (Some(_), _) => anstream::eprintln!("{why}; still trying"),
                },
            }
        }
        Ok(())
    }

    async fn look(&self) -> Result<Status, Fail> {
        let away = || Fail::cannot_connect("NATS is away");
        if !self.bus.connected() {
            return Err(away());
        }
        let facts = tokio::time::timeout(LOOK_MAX, look(self.bus, &self.topology, None)).await;
        let facts = facts.map_err(|_| away())??;
        Ok(status(&facts, self.room_limit).sorted(self.sort))
    }

    /// Shows a look; one that is out of date with why.
    fn show(&self, status: &Status, old: Option<&Fail>) -> Result<(), Fail> {
        if self.output == Output::Json {
            println!("{}", json(status)?);
            return Ok(());
        }
        let head = format!(
            "argosy top  {}  every {} s",
            self.server,
            self.every.as_secs()
        );
        let head = match old {
            None => head.dimmed().to_string(),
            Some(why) => format!("{why}; what stands here is old, still trying")
                .red()
                .to_string(),
        };
        self.screen.show(&format!("{head}\n\n{}", table(status)));
        Ok(())
    }
}

/// The terminal while `top` has it: another screen, so that what stood there comes back.
struct Screen {
    is_taken: bool,
}

impl Screen {
    /// Takes the terminal, if there is one and people look at it.
    fn taken(output: Output) -> Screen {
        let is_taken = output == Output::Text && std::io::stdout().is_terminal();
        if is_taken {
            // Another screen, without a cursor.
            raw("\x1b[?1049h\x1b[?25l");
        }
        Screen { is_taken }
    }

    fn show(&self, text: &str) {
        if !self.is_taken {
            println!("{text}");
            return;
        }
        // From the top, each line to its end, and nothing below: without a blank screen in between.
        raw("\x1b[H");
        print!("{}", text.replace('\n', "\x1b[K\n"));
        raw("\x1b[J");
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.is_taken {
            raw("\x1b[?25h\x1b[?1049l");
        }
    }
}

/// Writes what only a terminal understands; to one that is gone there is nothing to say.
fn raw(codes: &str) {
    let mut terminal = std::io::stdout();
    let _ = terminal.write_all(codes.as_bytes());
    let _ = terminal.flush();
}
