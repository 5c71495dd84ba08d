//! `argosy doctor` and `argosy explain`: runs the checks of a fleet, and prints the page that explains one.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::doctor::{self, CheckScope, CheckStatus, Finding, code};
use crate::out::{self, println};
use crate::render;
use owo_colors::OwoColorize;
use serde::Serialize;

/// The exit code of a probe that could not look.
const UNKNOWN: u8 = 3;

/// What `-o json` prints.
#[derive(Serialize)]
struct Report<'a> {
    verdict: CheckStatus,
    findings: &'a [Finding],
}

/// Makes every check and prints the findings. The exit code is 1 when a check failed. For monitoring it is that of
/// its probes: 0 ok, 1 warning, 2 critical; see [`unknown`] for the rest.
pub async fn run(args: cli::DoctorArgs, config: Config, output: Output) -> Result<(), CliError> {
    if args
        .rate
        .is_some_and(|rate| !rate.is_finite() || rate <= 0.0)
    {
        return Err(CliError::usage("--rate has to be over 0"));
    }
    let wanted = CheckScope {
        rate: args.rate,
        logs: args.logs.into(),
    };
    let findings = doctor::examine(&config, wanted).await;
    let verdict = doctor::worst(&findings);
    let ended = out::decided(match (output, verdict) {
        (Output::Nagios, CheckStatus::Fail) => Err(said(2)),
        (Output::Nagios, CheckStatus::Warn) | (_, CheckStatus::Fail) => Err(said(1)),
        _ => Ok(()),
    });
    match output {
        Output::Text => show(&findings),
        Output::Json => render::json(&Report {
            verdict,
            findings: &findings,
        }),
        Output::Nagios => println!("{}", probe(&findings)),
    }
    ended
}

/// Ends with this code, without a message; the printed findings say everything.
fn said(exit: u8) -> CliError {
    CliError::negative("").exit(exit)
}

/// Tells monitoring that nothing could be checked, and returns the exit code. What has been printed already stays.
pub fn unknown(fail: &CliError) -> u8 {
    match fail.message.is_empty() {
        true => fail.exit,
        false => {
            let _ = out::decided::<()>(Err(said(UNKNOWN)));
            println!("{}", unlooked(fail));
            UNKNOWN
        }
    }
}

fn unlooked(fail: &CliError) -> String {
    format!("ARGOSY UNKNOWN - {}", one_probe_line(&fail.message))
}

/// The text without bars, because a bar would begin the figures.
fn one_probe_line(text: &str) -> String {
    text.replace(['|', '\n'], " ")
}

/// Prints the page of a code, or the titles of all.
pub fn explain(args: &cli::ExplainArgs, output: Output) -> Result<(), CliError> {
    let Some(wanted) = &args.code else {
        let pages = code::pages();
        match output {
            Output::Json => render::json(&pages),
            _ => pages
                .iter()
                .for_each(|page| println!("{} {}", page.code.bold(), page.title)),
        }
        return Ok(());
    };
    let page = code::explain(wanted).ok_or_else(|| {
        let last = code::pages().last().map_or("", |page| page.code);
        CliError::not_found(format!("there is no code `{wanted}`")).hint(format!(
            "codes are D01 to {last}; `argosy explain` lists them"
        ))
    })?;
    match output {
        Output::Json => render::json(&page),
        _ => println!(
            "{} {}\n\n{}",
            page.code.bold(),
            page.title.bold(),
            page.text
        ),
    }
    Ok(())
}

fn show(findings: &[Finding]) {
    for finding in findings {
        let word = format!("{:<6}", format!("[{}]", finding.verdict.as_str()));
        let word = match finding.verdict {
            CheckStatus::Ok => word.green().to_string(),
            CheckStatus::Warn => word.yellow().to_string(),
            CheckStatus::Fail => word.red().bold().to_string(),
            CheckStatus::Skip => word.dimmed().to_string(),
        };
        println!("{word} {} {}", finding.code, finding.text);
        if let Some(fix) = &finding.fix {
            println!("           {} {fix}", "fix:".bold());
        }
    }
    println!();
    println!("{}", counted(findings));
    let worst = doctor::worst(findings);
    let first = findings.iter().find(|finding| finding.verdict == worst);
    if let Some(first) = first.filter(|_| worst > CheckStatus::Ok) {
        println!("more of it: argosy explain {}", first.code);
    }
}

/// How many findings are ok, warn, failed and were not made.
fn counts(findings: &[Finding]) -> [usize; 4] {
    [
        CheckStatus::Ok,
        CheckStatus::Warn,
        CheckStatus::Fail,
        CheckStatus::Skip,
    ]
    .map(|verdict| findings.iter().filter(|f| f.verdict == verdict).count())
}

fn counted(findings: &[Finding]) -> String {
    let [ok, warn, fail, skip] = counts(findings);
    let all = findings.len();
    format!("{all} checks: {ok} ok, {warn} warned, {fail} failed, {skip} not made")
}

/// One line in the format of Nagios: a word, what is wrong, and figures behind a bar.
fn probe(findings: &[Finding]) -> String {
    let worst = doctor::worst(findings);
    let word = match worst {
        CheckStatus::Fail => "CRITICAL",
        CheckStatus::Warn => "WARNING",
        CheckStatus::Ok | CheckStatus::Skip => "OK",
    };
    let wrong: Vec<String> = findings
        .iter()
        .filter(|finding| finding.verdict > CheckStatus::Ok)
        .map(|finding| format!("{} {}", finding.code, finding.text))
        .collect();
    let text = match wrong.is_empty() {
        true => counted(findings),
        false => wrong.join("; "),
    };
    let [ok, warn, fail, skip] = counts(findings);
    let text = one_probe_line(&text);
    format!("ARGOSY {word} - {text} | ok={ok} warn={warn} fail={fail} skip={skip}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(code: &'static str, verdict: CheckStatus, text: &str) -> Finding {
        Finding {
            code,
            verdict,
            text: text.into(),
            fix: None,
        }
    }

    #[test]
    fn a_probe_is_one_line_with_the_worst_word() {
        let ok = finding("D01", CheckStatus::Ok, "here");
        let warn = finding("D05", CheckStatus::Warn, "a | b");
        let fail = finding("D03", CheckStatus::Fail, "two\nlines");
        let line = probe(std::slice::from_ref(&ok));
        assert!(line.starts_with("ARGOSY OK - 1 checks: 1 ok"), "{line}");
        assert!(probe(&[ok.clone(), warn.clone()]).starts_with("ARGOSY WARNING - D05 a   b |"));
        let line = probe(&[ok, warn, fail]);
        assert_eq!(
            line,
            "ARGOSY CRITICAL - D05 a   b; D03 two lines | ok=1 warn=1 fail=1 skip=0"
        );
    }

    #[test]
    fn what_could_not_be_looked_at_is_unknown() {
        let fail = CliError::usage("two | things\nare wrong");
        assert_eq!(unlooked(&fail), "ARGOSY UNKNOWN - two   things are wrong");
        assert_eq!(unknown(&said(2)), 2);
    }
}
