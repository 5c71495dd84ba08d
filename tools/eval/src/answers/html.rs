//! The report as one HTML page: figures, a plot of confidence against truth, and the answers side by side.

use super::figures::{AnswersReport, SystemFigures};
use super::judge::Verdict;
use super::row::Row;
use crate::Error;
use crate::page::escaped;
use std::path::Path;

/// Pixels of a side of the plot.
const PLOT: f64 = 260.0;

const STYLE: &str = "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:4px 8px;\
    vertical-align:top;text-align:left}.right{background:#dff3df}.wrong{background:#f9dcdc}.refused{background:#eee}.failed{background:#fbeecb}\
    small{color:#555}figure{display:inline-block;margin:1em}";

/// Writes the page to a file.
pub(super) fn write(report: &AnswersReport, rows: &[Vec<Row>], path: &Path) -> Result<(), Error> {
    std::fs::write(path, page(report, rows)).map_err(|error| Error::File {
        path: path.to_owned(),
        error,
    })
}

fn page(report: &AnswersReport, rows: &[Vec<Row>]) -> String {
    let model = report.model.as_deref().unwrap_or("the offline reader");
    let compared = report.comparisons.iter().map(|one| {
        format!(
            "<li>{} against {}: {} better, {} worse, p = {:.3}</li>",
            one.system, one.less, one.better, one.worse, one.p
        )
    });
    let plots = report.systems.iter().map(plot);
    let heads = report
        .systems
        .iter()
        .map(|one| format!("<th>{}</th>", one.system));
    let answers = rows.iter().map(|of_question| answers(of_question));
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Answers</title><style>{STYLE}</style>\
         <h1>Answers, side by side</h1><p>{about}. Model: {model}. {machine}.</p>{figures}<ul>{compared}</ul>\
         <h2>Confidence against the share of right answers</h2>{plots}\
         <h2>Answers</h2><table><tr><th>question</th><th>expected</th>{heads}</tr>{answers}</table></html>\n",
        about = escaped(&report.about),
        model = escaped(model),
        machine = escaped(&report.machine),
        figures = figures(&report.systems),
        compared = compared.collect::<String>(),
        plots = plots.collect::<String>(),
        heads = heads.collect::<String>(),
        answers = answers.collect::<String>(),
    )
}

/// A figure of a system, as it is shown.
type Shown = fn(&SystemFigures) -> String;

/// The rows of the table of figures.
const FIGURES: &[(&str, Shown)] = &[
    ("right, of those that can be answered", |one| {
        one.right.to_string()
    }),
    ("wrong / refused / failed", |one| {
        format!("{} / {} / {}", one.wrong, one.refused, one.failed)
    }),
    ("refused, of those that cannot", |one| {
        one.rightly_refused.to_string()
    }),
    ("right, of answers not marked low", |one| {
        one.right_unmarked.to_string()
    }),
    ("AUROC of confidence", |one| {
        one.auroc.map_or("-".into(), |auroc| format!("{auroc:.3}"))
    }),
    ("the answer was shown to the model", |one| {
        one.shown.to_string()
    }),
    ("right where it was shown", |one| {
        one.right_if_shown.to_string()
    }),
    ("right answers whose quotes have it", |one| {
        one.cited.to_string()
    }),
    ("calls, tokens in / out", |one| {
        format!(
            "{:.1}, {:.0} / {:.0}",
            one.calls, one.tokens_in, one.tokens_out
        )
    }),
    ("p50 / p95", |one| {
        format!(
            "{:.1} / {:.1} s",
            one.p50_ms / 1_000.0,
            one.p95_ms / 1_000.0
        )
    }),
    ("right by kind", |one| {
        let kinds = one.right_by_kind.iter();
        let kinds = kinds.map(|(kind, share)| format!("{kind} {:.2} of {}", share.share, share.of));
        kinds.collect::<Vec<_>>().join("; ")
    }),
];

fn figures(systems: &[SystemFigures]) -> String {
    let heads = systems.iter().map(|one| format!("<th>{}</th>", one.system));
    let rows = FIGURES.iter().map(|(what, shown)| {
        let cells = systems
            .iter()
            .map(|one| format!("<td>{}</td>", escaped(&shown(one))));
        format!("<tr><th>{what}</th>{}</tr>", cells.collect::<String>())
    });
    format!(
        "<table><tr><th></th>{}</tr>{}</table>",
        heads.collect::<String>(),
        rows.collect::<String>()
    )
}

/// Points of confidence and of the share of right answers, as large as there are answers.
fn plot(figures: &SystemFigures) -> String {
    if figures.reliability.is_empty() {
        return String::new();
    }
    let circles = figures.reliability.iter().map(|(confidence, share)| {
        format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"#26a\" fill-opacity=\".5\"><title>{share}</title></circle>",
            confidence * PLOT,
            (1.0 - share.share) * PLOT,
            3.0 + (share.of as f64).sqrt()
        )
    });
    format!(
        "<figure><svg width=\"{PLOT}\" height=\"{PLOT}\"><rect width=\"{PLOT}\" height=\"{PLOT}\" fill=\"none\" stroke=\"#888\"/>\
         <line x1=\"0\" y1=\"{PLOT}\" x2=\"{PLOT}\" y2=\"0\" stroke=\"#aaa\"/>{}</svg><figcaption>{}: confidence across, \
         share of right answers up</figcaption></figure>",
        circles.collect::<String>(),
        figures.system
    )
}

fn answers(rows: &[Row]) -> String {
    let Some(first) = rows.first() else {
        return String::new();
    };
    let cells = rows.iter().map(|row| {
        let class = match (row.is_right, row.verdict) {
            (true, _) => "right",
            (_, Verdict::Refused) => "refused",
            (_, Verdict::Failed) => "failed",
            _ => "wrong",
        };
        let mut notes = vec![format!("{:.1} s", row.ms as f64 / 1_000.0)];
        notes.extend(
            row.confidence
                .map(|confidence| format!("confidence {confidence:.2}")),
        );
        notes.extend(row.is_marked_low.then(|| "low".to_owned()));
        notes.extend((row.is_shown == Some(false)).then(|| "not shown to the model".to_owned()));
        format!(
            "<td class=\"{class}\">{}<br><small>{}</small></td>",
            escaped(row.answer.as_deref().unwrap_or("no answer")),
            notes.join(", ")
        )
    });
    format!(
        "<tr><td>{}<br><small>{}, {}</small></td><td>{}</td>{}</tr>",
        escaped(&first.question),
        escaped(&first.id),
        escaped(&first.kind),
        escaped(&first.expected.join("; ")),
        cells.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::super::question::AnswerQuestion;
    use super::super::row::Given;
    use super::*;

    #[test]
    fn answers_stand_side_by_side_and_are_no_markup() {
        let question = AnswerQuestion {
            text: "How <high>?".into(),
            contains: vec!["45 V".into()],
            ..AnswerQuestion::default()
        };
        let row = |system: &str, answer: Option<&str>| {
            Row::of(
                system,
                &question,
                Given::plain(answer.map(str::to_owned)),
                &[],
            )
        };
        let rows = vec![vec![
            row("plain-7", Some("45 V")),
            row("oracle", Some("<b>5</b>")),
            row("closed", None),
        ]];
        let report = AnswersReport::of("set".into(), None, "here".into(), &rows);
        assert_eq!(report.comparisons.len(), 2);
        let html = page(&report, &rows);
        for part in [
            "How &lt;high&gt;?",
            "class=\"right\">45 V",
            "class=\"wrong\">&lt;b&gt;5",
            "class=\"failed\">no answer",
        ] {
            assert!(html.contains(part), "{part}");
        }
    }
}
