//! `argosy trace`: shows the steps of a turn, also while it runs.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::out::println;
use crate::render;
use crate::render::screen::Screen;
use crate::render::trace as draw;
use crate::signal;
use bus::Bus;
use envelope::limits::DEADLINE_MS_MAX;
use envelope::{TurnId, UnixMs};
use inspect::trace::{self, Step, Trace};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often a running turn is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long after its deadline a turn may take to end, in milliseconds.
const LATE_MS: u64 = 10_000;

/// Shows the steps of a turn, also while it runs.
pub async fn run(args: cli::TraceArgs, config: Config, output: Output) -> Result<(), CliError> {
    let bus = super::connect(&config).await?;
    let mut seen = look(&*bus, &args.turn).await?;
    let detail = draw::Detail {
        unfold: args.unfold,
    };
    if !args.follow {
        show(&seen, output, detail);
        return Ok(());
    }
    let mut follower = Follower::new(output, detail);
    let limit = seen.deadline.unwrap_or(bus.now().plus(DEADLINE_MS_MAX));
    let following = follow(&*bus, &mut seen, limit.plus(LATE_MS), &mut follower);
    let followed = signal::unless_told(following).await;
    if let Follower::Screen(screen, detail) = follower {
        // What stood on the other screen went with it.
        drop(screen);
        show(&seen, output, detail);
    }
    let followed = followed.unwrap_or_else(|| {
        let fail = CliError::interrupted(format!("turn `{}` goes on", args.turn));
        Err(fail.about(&args.turn).hint(look_again(&args.turn)))
    });
    followed.map_err(|fail| super::for_fleet(fail, &config))
}

/// Shows how a turn went, or goes, once.
pub(crate) async fn once(bus: &dyn Bus, turn: &TurnId) -> Result<(), CliError> {
    let seen = look(bus, turn).await?;
    show(&seen, Output::Text, draw::Detail { unfold: false });
    Ok(())
}

fn look_again(turn: &TurnId) -> String {
    format!("look again with: argosy trace {turn}")
}

async fn look(bus: &dyn Bus, turn: &TurnId) -> Result<Trace, CliError> {
    match trace::read(bus, turn).await? {
        Some(found) => Ok(trace::build(turn, &found)),
        None => Err(CliError::not_found(format!(
            "nothing is known of turn `{turn}`: there is none, or it has aged out"
        ))
        .hint("a question that no gateway has taken yet is not known either; does one run?")),
    }
}

fn show(trace: &Trace, output: Output, detail: draw::Detail) {
    match output {
        Output::Json => render::json(trace),
        _ => {
            for line in draw::lines(trace, detail) {
                println!("{line}");
            }
        }
    }
}

/// Looks again and again until the turn has ended.
async fn follow(
    bus: &dyn Bus,
    trace: &mut Trace,
    until: UnixMs,
    follower: &mut Follower,
) -> Result<(), CliError> {
    loop {
        follower.tell(trace);
        if trace.outcome.is_some() {
            return Ok(());
        }
        if bus.now() > until {
            let text = format!(
                "turn `{}` is past its deadline and has not ended",
                trace.turn
            );
            return Err(CliError::still_running(text)
                .about(&trace.turn)
                .hint("gateways end turns: does one run? Look again with: argosy trace"));
        }
        tokio::time::sleep(LOOK_EVERY).await;
        match look(bus, &trace.turn).await {
            Ok(next) => *trace = next,
            // The server is away for a moment; the turn is not.
            Err(fail) if fail.exit == 4 => {
                tracing::warn!(%fail, "the turn could not be read; trying again")
            }
            Err(fail) => return Err(fail),
        }
    }
}

/// How a turn that runs is shown.
enum Follower {
    /// The trace is drawn anew, on a terminal.
    Screen(Screen, draw::Detail),
    /// A line is added for each step that has come further; the map holds what was last said of each.
    Lines(BTreeMap<(u16, Option<u16>), String>),
    /// The trace is shown once, at the end.
    Object,
}

impl Follower {
    fn new(output: Output, detail: draw::Detail) -> Follower {
        if output == Output::Json {
            return Follower::Object;
        }
        let screen = Screen::taken(output);
        match screen.is_taken() {
            true => Follower::Screen(screen, detail),
            false => Follower::Lines(BTreeMap::new()),
        }
    }

    fn tell(&mut self, trace: &Trace) {
        let has_ended = trace.outcome.is_some();
        match self {
            Follower::Object if has_ended => render::json(trace),
            Follower::Object => {}
            Follower::Screen(screen, detail) => {
                screen.show(&draw::lines(trace, *detail).join("\n"));
            }
            Follower::Lines(said) => {
                for line in news(said, trace) {
                    println!("{line}");
                }
                if has_ended {
                    println!("{}", draw::end(trace));
                }
            }
        }
    }
}

/// The lines of the steps that have come further since the last look.
fn news(said: &mut BTreeMap<(u16, Option<u16>), String>, trace: &Trace) -> Vec<String> {
    let all = trace.steps.iter();
    let all = all.flat_map(|step| std::iter::once(step).chain(&step.maps));
    let mut lines = Vec::new();
    for step in all.filter(|step| !step.inherited) {
        let state = format!("{}{}", step.doing.as_str(), step.decided);
        let place = (step.hop, step.index);
        if said.get(&place) != Some(&state) {
            lines.push(draw::line(step, "", &name(step)));
            lines.extend(draw::hanging(step, ""));
            said.insert(place, state);
        }
    }
    lines
}

fn name(step: &Step) -> String {
    match step.index {
        Some(index) => format!("{} {index}", step.role),
        None => step.role.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::Role;
    use inspect::trace::sample::{self, SampleTurn};

    #[test]
    fn a_step_is_told_of_when_it_has_come_further() {
        let mut said = BTreeMap::new();
        let mut tell = |turn: &SampleTurn| {
            let lines = news(&mut said, &trace::build(&sample::id(), &turn.found()));
            anstream::adapter::strip_str(&lines.join("\n")).to_string()
        };
        let mut turn = SampleTurn::until_the_maps();
        turn.handed_out(Role::Mapper, 9);
        assert_eq!(tell(&turn).lines().count(), 5, "two steps and three maps");
        assert_eq!(tell(&turn), "");
        turn.part(1, None);
        let news = tell(&turn);
        assert!(
            news.starts_with("mapper 1") && news.contains("done"),
            "{news}"
        );
        assert_eq!(news.lines().count(), 1, "{news}");
        let ended = tell(&SampleTurn::answered());
        assert!(
            ended.contains("fallback: parts_failed (indexes [1])"),
            "{ended}"
        );
        assert!(ended.contains("dead letter 17"), "{ended}");
    }
}
