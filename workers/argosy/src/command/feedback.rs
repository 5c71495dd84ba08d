//! `argosy feedback`: lists what people say of answers, for operators.

use crate::cli::{FeedbackCommand, Output};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::out::println;
use crate::render::{self, one_line};
use bus::Bus;
use envelope::{Feedback, UnixMs};
use owo_colors::OwoColorize;
use serde_json::json;
use streams::feedback;

/// How much of a comment is shown, in characters.
const COMMENT_CHARS: usize = 120;

/// Lists feedback.
pub async fn run(what: FeedbackCommand, config: Config, output: Output) -> Result<(), CliError> {
    let FeedbackCommand::Ls(args) = what;
    let bus = super::connect(&config).await?;
    let is_wanted = |feedback: &Feedback| !(args.bad && feedback.good);
    let listed = feedback::list(
        &*bus,
        args.tenant.as_ref(),
        args.before,
        args.limit as usize,
        is_wanted,
    )
    .await?;
    if output == Output::Json {
        render::json(&json!({"feedback": listed.feedback, "next": listed.next}));
        return Ok(());
    }
    if listed.feedback.is_empty() {
        println!("no feedback");
    }
    for feedback in &listed.feedback {
        println!("{}", line(feedback, bus.now()));
    }
    if let Some(next) = listed.next {
        println!("{}", format!("there may be more: --before {next}").dimmed());
    }
    Ok(())
}

/// One piece of feedback. Whatever people wrote, it stays one line.
fn line(feedback: &Feedback, now: UnixMs) -> String {
    let ago = format!("{} ago", render::age(feedback.at.until(now)));
    let judged = if feedback.good { "good" } else { "bad" };
    let about = match feedback.sentence {
        Some(sentence) => format!("sentence {sentence} of {}", feedback.turn),
        None => feedback.turn.to_string(),
    };
    let within = feedback.conversation.as_ref();
    let within = within.map_or(String::new(), |id| format!(" in {id}"));
    let comment = feedback.comment.as_deref().unwrap_or_default();
    // A terminal would obey what stands for its own commands.
    let plain = |text: &str| one_line(&text.replace(char::is_control, " "), COMMENT_CHARS);
    format!(
        "{ago:>12}  {judged:<4}  {about}{within}, {} of {}  {}",
        plain(&feedback.login),
        feedback.tenant,
        plain(comment)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Principal, TenantId, TurnId};

    #[test]
    fn a_comment_stays_on_its_line() {
        let reader = Principal::from(TenantId::default_tenant());
        let turn = TurnId::new("q-1").expect("an id");
        let feedback = Feedback {
            comment: Some("It ended\nin \u{1b}[31m2031.".into()),
            sentence: Some(2),
            ..Feedback::of(reader, turn, "ann".into(), false, UnixMs(1_000))
        };
        let said = line(&feedback, UnixMs(31_000));
        assert!(
            said.starts_with("    30 s ago  bad   sentence 2 of q-1, ann of default  It ended in "),
            "{said}"
        );
        assert!(!said.contains(char::is_control), "{said:?}");
    }
}
