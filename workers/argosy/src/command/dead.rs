//! `argosy dead`: lists, shows, retries and drops dead letters.

use crate::cli::{self, ChosenDeadArgs, DeadFilterArgs, Output};
use crate::cli_error::{CliError, FULL};
use crate::config::Config;
use crate::out::{self, println};
use crate::render::{self, one_line};
use bus::{Bus, StoredMessage, Stream};
use envelope::{TurnId, UnixMs, header};
use inspect::dead_letters::{self, CHOSEN_MAX, Letter, LetterFilter, Retry, RetryOutcome};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::collections::BTreeSet;
use streams::history;

/// How much of a payload is shown, in bytes.
const PAYLOAD_BYTES: usize = 2_000;

/// Lists, shows, retries or drops dead letters.
pub async fn run(what: cli::DeadCommand, config: Config, output: Output) -> Result<(), CliError> {
    let bus = super::connect(&config).await?;
    match what {
        cli::DeadCommand::Ls(args) => ls(&*bus, &args, output).await,
        cli::DeadCommand::Show(args) => show(&*bus, args.number, output).await,
        cli::DeadCommand::Retry(args) => {
            let time = args.deadline.map(settings::TimeSpan::duration);
            let keep = config.streams.keep.duration();
            let yes = args.chosen.yes;
            let todo = chosen(&*bus, &args.chosen).await?;
            let came = each(&*bus, &todo, async |letter, stored| {
                let retry = dead_letters::plan(&*bus, stored, keep).await?;
                Ok(match yes {
                    false => Row::planned(letter, &retry),
                    true => {
                        Row::retried(letter, dead_letters::act(&*bus, retry, time, keep).await?)
                    }
                })
            });
            finish(came.await, yes, "cannot be retried", output)
        }
        cli::DeadCommand::Drop(args) => {
            let yes = args.chosen.yes;
            let todo = chosen(&*bus, &args.chosen).await?;
            let came = each(&*bus, &todo, async |letter, _| {
                let text = match yes {
                    false => "would be deleted",
                    true if bus.erase(Stream::Dead, letter.number).await? => "deleted",
                    true => "was gone already",
                };
                Ok(Row::new(letter, None, text, true))
            });
            finish(came.await, yes, "were not deleted", output)
        }
    }
}

fn wanted(which: &DeadFilterArgs, now: UnixMs) -> LetterFilter {
    let before = |span: settings::TimeSpan| UnixMs(now.0.saturating_sub(span.as_millis()));
    LetterFilter {
        role: which.role,
        reason: which.reason.clone(),
        until: which.older_than.map(before),
        since: which.since.map(before),
    }
}

/// The object of `dead ls -o json`.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    letters: Vec<ShownLetter<'a>>,
    older: u64,
}

#[derive(Debug, Serialize)]
struct ShownLetter<'a> {
    #[serde(flatten)]
    letter: &'a Letter,
    retried_as: Option<&'a TurnId>,
}

async fn ls(bus: &dyn Bus, args: &cli::DeadLsArgs, output: Output) -> Result<(), CliError> {
    let wanted = wanted(&args.which, bus.now());
    let listed = dead_letters::list(bus, &wanted, args.limit as usize).await?;
    let retried = retried(bus, &listed.letters).await?;
    let retried_as = |letter: &Letter| retried.get(letter.retry.as_ref()?);
    if output == Output::Json {
        let letters = listed.letters.iter().map(|letter| ShownLetter {
            letter,
            retried_as: retried_as(letter),
        });
        render::json(&Shown {
            letters: letters.collect(),
            older: listed.older,
        });
        return Ok(());
    }
    if listed.letters.is_empty() {
        println!("{}", none_of(&args.which));
        return Ok(());
    }
    let head = format!(
        "{:>6}  {:<9} {:<9} {:<20} {:>5}  {:<32} ERROR",
        "NUMBER", "AGE", "ROLE", "REASON", "TRIES", "ABOUT"
    );
    println!("{}", head.bold());
    for letter in &listed.letters {
        println!("{}", line(letter, bus.now()));
        if let Some(turn) = retried_as(letter) {
            println!("{:>8}{} {turn}", "", "retried as".cyan());
        }
    }
    if listed.older > 0 {
        println!("{} older ones; see --limit", listed.older);
    }
    Ok(())
}

/// The text where no dead letter is listed.
fn none_of(which: &DeadFilterArgs) -> &'static str {
    let DeadFilterArgs {
        role,
        reason,
        older_than,
        since,
    } = which;
    let is_any = role.is_none() && reason.is_none() && older_than.is_none() && since.is_none();
    match is_any {
        true => "there are no dead letters",
        false => "there is no dead letter like that",
    }
}

fn line(letter: &Letter, now: UnixMs) -> String {
    format!(
        "{:>6}  {:<9} {:<9} {:<20} {:>5}  {:<32} {}",
        letter.number,
        render::age(letter.stored_at.until(now)),
        letter.role,
        one_line(&letter.reason, 20),
        letter.delivered,
        one_line(&letter.about(), 32),
        one_line(&letter.error, 80)
    )
}

/// The turns, of those that would retry these letters, that exist already.
async fn retried(bus: &dyn Bus, letters: &[Letter]) -> Result<BTreeSet<TurnId>, CliError> {
    let ids: BTreeSet<TurnId> = letters.iter().filter_map(|l| l.retry.clone()).collect();
    let ids: Vec<TurnId> = ids.into_iter().collect();
    let mut there = BTreeSet::new();
    for some in ids.chunks(256) {
        let found = history::turn_states(bus, some).await?;
        there.extend(found.into_iter().map(|standing| standing.turn));
    }
    Ok(there)
}

/// The object of `dead show -o json`.
#[derive(Debug, Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    shown: ShownLetter<'a>,
    headers: &'a [(String, String)],
    /// The start of the body, as text.
    payload: String,
}

async fn show(bus: &dyn Bus, number: u64, output: Output) -> Result<(), CliError> {
    let stored = dead_letters::get(bus, number).await?;
    let Some(letter) = Letter::of(&stored) else {
        let text = format!("message {number}, `{}`, is no dead letter", stored.subject);
        return Err(CliError::not_found(text));
    };
    let retried = retried(bus, std::slice::from_ref(&letter)).await?;
    let head = &stored.body[..stored.body.len().min(PAYLOAD_BYTES)];
    let payload = String::from_utf8_lossy(head).into_owned();
    if output == Output::Json {
        render::json(&Whole {
            shown: ShownLetter {
                letter: &letter,
                retried_as: retried.first(),
            },
            headers: &stored.headers.0,
            payload,
        });
        return Ok(());
    }
    let facts = [
        (
            "stored",
            format!("{} ago", render::age(letter.stored_at.until(bus.now()))),
        ),
        ("about", letter.about()),
        ("reason", letter.reason.red().to_string()),
        ("error", letter.error.clone()),
        ("tries", letter.delivered.to_string()),
        ("subject", letter.subject.clone()),
        ("origin", letter.origin.clone()),
        ("trace", trace_id(&stored)),
        (
            "retried as",
            retried.first().map_or(String::new(), ToString::to_string),
        ),
    ];
    println!(
        "{}",
        format!("dead letter {number} of the {}", letter.role).bold()
    );
    for (name, fact) in facts.iter().filter(|(_, fact)| !fact.is_empty()) {
        println!("  {name:<11} {fact}");
    }
    let (kept, before) = (letter.bytes, letter.bytes_before);
    let lost = match before > kept {
        true => format!(" of {before}, the rest was not kept"),
        false => String::new(),
    };
    let cut = match kept > PAYLOAD_BYTES {
        true => format!("; the first {PAYLOAD_BYTES}"),
        false => String::new(),
    };
    println!("  payload     {kept} bytes{lost}{cut}");
    println!(
        "{}",
        payload
            .escape_debug()
            .to_string()
            .replace("\\\"", "\"")
            .dimmed()
    );
    Ok(())
}

fn trace_id(stored: &StoredMessage) -> String {
    let header = stored.headers.get(header::TRACEPARENT);
    let context = header.and_then(telemetry::TraceContext::parse);
    context.map_or(String::new(), |context| context.trace_id())
}

/// The numbers of the dead letters to work on. The letters themselves are read one at a time, because together they
/// may be larger than the memory.
#[derive(Debug)]
struct Todo {
    numbers: Vec<u64>,
    older: u64,
}

async fn chosen(bus: &dyn Bus, chosen: &ChosenDeadArgs) -> Result<Todo, CliError> {
    if chosen.numbers.is_empty() {
        let wanted = wanted(&chosen.which, bus.now());
        if wanted == LetterFilter::default() && !chosen.all {
            return Err(CliError::usage("it is not said which dead letters")
                .hint("name their numbers, or filter with --role, --reason, --older-than, --since, or say --all"));
        }
        let listed = dead_letters::list(bus, &wanted, CHOSEN_MAX).await?;
        let numbers = listed.letters.iter().map(|letter| letter.number);
        return Ok(Todo {
            numbers: numbers.collect(),
            older: listed.older,
        });
    }
    // In their order: of two letters of one document the newer one counts.
    let numbers: BTreeSet<u64> = chosen.numbers.iter().copied().collect();
    if numbers.len() > CHOSEN_MAX {
        let text = format!(
            "{} numbers are named, {CHOSEN_MAX} are the most",
            numbers.len()
        );
        return Err(
            CliError::usage(text).hint("filter with --role, --reason, --older-than or --since")
        );
    }
    // Nothing is done where one of them is mistyped.
    for number in &numbers {
        dead_letters::get(bus, *number).await?;
    }
    Ok(Todo {
        numbers: numbers.into_iter().collect(),
        older: 0,
    })
}

/// The result of working on dead letters.
struct Came {
    rows: Vec<Row>,
    older: u64,
    /// The failure that stopped the work, and how many letters were not reached.
    stopped: Option<(CliError, usize)>,
}

/// Does something with each letter, or says what would be done. A letter that fails does not stop the others, except
/// where the server is away or full: then the rest would fail as well, each after its patience.
async fn each(
    bus: &dyn Bus,
    todo: &Todo,
    mut act: impl AsyncFnMut(&Letter, &StoredMessage) -> Result<Row, CliError>,
) -> Came {
    let (mut rows, mut stopped) = (Vec::with_capacity(todo.numbers.len()), None);
    for number in &todo.numbers {
        let (about, came) = match bus.message(Stream::Dead, *number).await {
            Ok(Some(stored)) => match Letter::of(&stored) {
                Some(letter) => (letter.about(), act(&letter, &stored).await),
                None => (stored.subject, Err(CliError::negative("no dead letter"))),
            },
            Ok(None) => (String::new(), Ok(Row::gone(*number))),
            Err(error) => (String::new(), Err(error.into())),
        };
        match came {
            Ok(row) => rows.push(row),
            Err(fail) => {
                rows.push(Row {
                    number: *number,
                    about,
                    turn: None,
                    what: format!("failed: {}", fail.message),
                    ok: false,
                });
                if fail.exit == 4 || fail.code == FULL {
                    stopped = Some((fail, todo.numbers.len() - rows.len()));
                    break;
                }
            }
        }
    }
    let older = todo.older;
    Came {
        rows,
        older,
        stopped,
    }
}

/// What is done with one letter, or would be.
#[derive(Debug, Serialize)]
struct Row {
    number: u64,
    about: String,
    turn: Option<TurnId>,
    what: String,
    /// False for a letter that cannot be retried, or whose work failed.
    ok: bool,
}

impl Row {
    fn new(letter: &Letter, turn: Option<&TurnId>, what: impl Into<String>, ok: bool) -> Row {
        Row {
            number: letter.number,
            about: letter.about(),
            turn: turn.cloned(),
            what: what.into(),
            ok,
        }
    }

    /// The row of a letter that was there when it was chosen and is gone.
    fn gone(number: u64) -> Row {
        Row {
            number,
            about: String::new(),
            turn: None,
            what: "was gone already".into(),
            ok: true,
        }
    }

    fn planned(letter: &Letter, retry: &Retry) -> Row {
        match retry {
            Retry::Turn {
                turn,
                is_there: true,
                ..
            } => Row::new(letter, Some(turn), BEFORE, true),
            Retry::Turn { turn, start, .. } => {
                let (role, hop) = (start.role, start.hop);
                let what = match letter.index {
                    Some(_) => format!("would make all failed maps of hop {hop} again as"),
                    None => format!("would go on from the {role} at hop {hop} as"),
                };
                Row::new(letter, Some(turn), what, true)
            }
            Retry::Before(turn) => Row::new(letter, Some(turn), BEFORE, true),
            Retry::Document(message) => {
                let what = format!("would be published to {}", message.subject);
                Row::new(letter, None, what, true)
            }
            Retry::Superseded(why) => Row::superseded(letter, why),
            Retry::Cannot(why) => Row::cannot(letter, why),
        }
    }

    fn retried(letter: &Letter, retried: RetryOutcome) -> Row {
        match retried {
            RetryOutcome::Now(turn) => Row::new(letter, Some(&turn), "retried as", true),
            RetryOutcome::Before(turn) => Row::new(letter, Some(&turn), BEFORE, true),
            RetryOutcome::Published => Row::new(letter, None, "published again", true),
            RetryOutcome::Superseded(why) => Row::superseded(letter, &why),
            RetryOutcome::Not(why) => Row::cannot(letter, &why),
        }
    }

    fn superseded(letter: &Letter, why: &str) -> Row {
        Row::new(letter, None, format!("superseded: {why}"), true)
    }

    fn cannot(letter: &Letter, why: &str) -> Row {
        Row::new(letter, None, format!("cannot be retried: {why}"), false)
    }
}

/// The beginning of the text for a letter whose new turn exists already.
const BEFORE: &str = "was retried before, as";

/// The object of `dead retry -o json` and `dead drop -o json`.
#[derive(Debug, Serialize)]
struct Report<'a> {
    /// Whether the work was done, rather than only listed.
    done: bool,
    letters: &'a [Row],
    /// How many more the filters let through.
    older: u64,
    /// How many letters were not reached because the server is away or full.
    left: usize,
}

/// Shows the result and returns the exit. `not` is said of letters with which it was not done.
fn finish(came: Came, done: bool, not: &str, output: Output) -> Result<(), CliError> {
    let left = came.stopped.as_ref().map_or(0, |(_, left)| *left);
    let ended = out::decided(ends(&came, done, not));
    if output == Output::Json {
        render::json(&Report {
            done,
            letters: &came.rows,
            older: came.older,
            left,
        });
    } else {
        show_rows(&came, left);
    }
    ended.map_err(|fail| match output {
        Output::Json => fail.without_words(),
        _ => fail,
    })
}

fn show_rows(came: &Came, left: usize) {
    for row in &came.rows {
        let turn = row.turn.as_ref();
        println!(
            "{:>6}  {:<32} {}{}",
            row.number,
            one_line(&row.about, 32),
            row.what,
            turn.map_or(String::new(), |turn| format!(" {turn}"))
        );
    }
    if came.rows.is_empty() {
        println!("there is no dead letter like that");
    }
    if left > 0 {
        println!("{left} more were not come to");
    }
    if came.older > 0 {
        println!("{} older ones are left for another time", came.older);
    }
}

fn ends(came: &Came, done: bool, not: &str) -> Result<(), CliError> {
    let failed = came.rows.iter().filter(|row| !row.ok).count();
    match (&came.stopped, done, came.rows.len(), failed) {
        (Some((fail, _)), ..) => Err(fail.clone()),
        (_, _, 0, _) | (_, true, _, 0) => Ok(()),
        (_, true, all, failed) => {
            Err(CliError::negative(format!("{failed} of {all} {not}")).code("not_done"))
        }
        (_, false, ..) => Err(CliError::negative("nothing was done; say --yes to do it")
            .code("not_confirmed")
            .exit(7)),
    }
}

#[cfg(test)]
#[path = "dead_tests.rs"]
mod tests;
