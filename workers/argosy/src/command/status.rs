//! `argosy status` and `argosy top`: show the state of the whole fleet, once or live.

use crate::cli::{self, KeyArg, Output};
use crate::cli_error::CliError;
use crate::command::connect;
use crate::config::Config;
use crate::doctor::room::full_at;
use crate::keys::Keys;
use crate::out::{notice, print, println};
use crate::render::screen::Screen;
use crate::render::status::table;
use crate::signal;
use bus::Bus;
use bus::topology::Topology;
use bus_nats::{NatsBus, without_secrets};
use clap::ValueEnum;
use futures_util::{Stream, StreamExt, stream};
use inspect::status::{FleetStatus, Key, RoleOrder, look, status};
use owo_colors::OwoColorize;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// The most time for one look of `top`; a server that takes longer counts as away.
const LOOK_MAX: Duration = Duration::from_secs(5);

/// Shows the fleet once.
pub async fn once(args: cli::StatusArgs, config: Config, output: Output) -> Result<(), CliError> {
    let bus = connect(&config).await?;
    let facts = look(&*bus, &config.streams, args.turn.as_ref()).await?;
    let status =
        status(&facts, full_at(config.gateway.room_limit)).sorted(RoleOrder::by(args.sort.into()));
    match output {
        Output::Json => println!("{}", serde_json::to_string(&status)?),
        _ => print!("{}", table(&status)),
    }
    Ok(())
}

/// Shows the fleet again and again, until it is told to stop. It waits for a server that goes away.
pub async fn top(args: cli::TopArgs, config: Config, output: Output) -> Result<(), CliError> {
    let bus = connect(&config).await?;
    let every = Duration::from_secs(args.every);
    let limit = config.gateway.room_limit;
    let looks = looks(bus, config.streams.clone(), limit, every).take(match args.count {
        Some(count) => usize::try_from(count).unwrap_or(usize::MAX),
        None => usize::MAX,
    });
    let screen = Screen::taken(output);
    let keys = screen.is_taken().then(Keys::of_stdin).flatten();
    let live = Live {
        server: without_secrets(&config.nats.url),
        every,
        order: RoleOrder::by(args.sort.into()),
        has_keys: keys.is_some(),
        screen: &screen,
        output,
        last: None,
        away: None,
    };
    let shown = signal::unless_told(Box::pin(live.run(looks, keys))).await;
    shown.unwrap_or(Ok(()))
}

/// Looks at the fleet now and every so often, without end.
fn looks(
    bus: Arc<NatsBus>,
    topology: Topology,
    room_limit: f64,
    every: Duration,
) -> impl Stream<Item = Result<FleetStatus, CliError>> {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    stream::unfold(
        (bus, topology, ticks, true),
        move |(bus, topology, mut ticks, is_first)| async move {
            ticks.tick().await;
            // A new connection does not know of itself at once.
            let away = || Err(CliError::cannot_connect("NATS is away"));
            let looked = match is_first || bus.connected() {
                true => match timeout(LOOK_MAX, look(&*bus, &topology, None)).await {
                    Ok(looked) => looked.map_err(CliError::from),
                    Err(_) => away(),
                },
                false => away(),
            };
            let rest = (bus, topology, ticks, false);
            Some((
                looked.map(|facts| status(&facts, full_at(room_limit))),
                rest,
            ))
        },
    )
}

/// The state of `top`: what it shows, and where.
struct Live<'a> {
    server: String,
    every: Duration,
    order: RoleOrder,
    has_keys: bool,
    screen: &'a Screen,
    output: Output,
    last: Option<FleetStatus>,
    /// Why `last` is out of date, if it is.
    away: Option<CliError>,
}

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Order(RoleOrder),
    End,
    Nothing,
}

fn asked(order: RoleOrder, key: char) -> Asked {
    let nth = |digit: u32| KeyArg::value_variants().get((digit as usize).checked_sub(1)?);
    match (key, key.to_digit(10).and_then(nth)) {
        ('q', _) => Asked::End,
        ('r', _) => Asked::Order(RoleOrder {
            is_reversed: !order.is_reversed,
            ..order
        }),
        (_, Some(key)) => Asked::Order(RoleOrder::by((*key).into())),
        (_, None) => Asked::Nothing,
    }
}

/// The keys, and the order of the roles.
fn key_line(order: RoleOrder) -> String {
    let mut words = vec!["sort:".to_owned()];
    for (n, key) in KeyArg::value_variants().iter().enumerate() {
        let value = key.to_possible_value();
        let name = value.as_ref().map_or("", |value| value.get_name());
        words.push(match (Key::from(*key) == order.key, order.is_reversed) {
            (false, _) => format!("{} {name}", n + 1),
            (true, false) => format!("[{} {name}]", n + 1).bold().to_string(),
            (true, true) => format!("[{} {name}, reversed]", n + 1).bold().to_string(),
        });
    }
    words.push("  r reverse  q quit".to_owned());
    words.join(" ")
}

impl Live<'_> {
    async fn run(
        mut self,
        looks: impl Stream<Item = Result<FleetStatus, CliError>>,
        mut keys: Option<Keys>,
    ) -> Result<(), CliError> {
        let mut looks = std::pin::pin!(looks);
        loop {
            tokio::select! {
                looked = looks.next() => match looked {
                    Some(looked) => self.take(looked)?,
                    None => return Ok(()),
                },
                key = pressed(&mut keys) => match asked(self.order, key) {
                    Asked::End => return Ok(()),
                    Asked::Order(order) => {
                        self.order = order;
                        self.show()?;
                    }
                    Asked::Nothing => {}
                },
            }
        }
    }

    /// Takes in a look at the fleet, or that there was none, and shows it.
    fn take(&mut self, looked: Result<FleetStatus, CliError>) -> Result<(), CliError> {
        match (looked, self.output) {
            (Ok(status), _) => (self.last, self.away) = (Some(status), None),
            // The first look has to succeed: a fleet that is not set up stays so.
            (Err(why), _) if self.last.is_none() => return Err(why),
            (Err(why), Output::Text) => self.away = Some(why),
            (Err(why), _) => {
                notice!("{why}; still trying");
                return Ok(());
            }
        }
        self.show()
    }

    /// Shows the last look; where it is out of date, also the reason.
    fn show(&self) -> Result<(), CliError> {
        let Some(status) = &self.last else {
            return Ok(());
        };
        let status = status.clone().sorted(self.order);
        if self.output == Output::Json {
            println!("{}", serde_json::to_string(&status)?);
            return Ok(());
        }
        let head = format!(
            "argosy top  {}  every {} s",
            self.server,
            self.every.as_secs()
        );
        let head = match &self.away {
            None => head.dimmed().to_string(),
            Some(why) => format!("{why}; what stands here is old, still trying")
                .red()
                .to_string(),
        };
        let keys = match self.has_keys {
            true => format!("{}\n", key_line(self.order)),
            false => String::new(),
        };
        let table = table(&status);
        self.screen.show(&format!("{head}\n{keys}\n{table}"));
        Ok(())
    }
}

async fn pressed(keys: &mut Option<Keys>) -> char {
    match keys {
        Some(keys) => keys.next().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_sort_r_reverses_and_q_ends() {
        let first = RoleOrder::by(Key::Role);
        let Asked::Order(by_pending) = asked(first, '3') else {
            panic!("no order");
        };
        assert_eq!(by_pending, RoleOrder::by(Key::Pending));
        let Asked::Order(reversed) = asked(by_pending, 'r') else {
            panic!("no order");
        };
        assert_eq!((reversed.key, reversed.is_reversed), (Key::Pending, true));
        assert_eq!(asked(reversed, 'r'), Asked::Order(by_pending));
        assert_eq!(asked(reversed, '1'), Asked::Order(first));
        assert_eq!(asked(first, 'q'), Asked::End);
        for other in ['0', '8', 'x', 'R'] {
            assert_eq!(asked(first, other), Asked::Nothing, "{other}");
        }
    }

    #[test]
    fn the_line_of_keys_names_each_and_marks_the_one_in_force() {
        let line = |order| anstream::adapter::strip_str(&key_line(order)).to_string();
        let all =
            "sort: [1 role] 2 flight 3 pending 4 oldest 5 p95 6 errors 7 dead   r reverse  q quit";
        assert_eq!(line(RoleOrder::by(Key::Role)), all);
        let Asked::Order(reversed) = asked(RoleOrder::by(Key::Dead), 'r') else {
            panic!("no order");
        };
        assert!(line(reversed).contains(" [7 dead, reversed] "));
    }
}
