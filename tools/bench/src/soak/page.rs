//! Draws a run as one HTML file: rate, times, memory and streams over time, with a line for every kill. No script, and
//! nothing is loaded. Pure.

use super::{Kill, Soaked, summary};
use crate::cli::SoakArgs;
use crate::driver::SERVER;
use crate::samples::Sample;
use std::fmt::Write;

/// Pixels of a plot, and of what is left free for its axis.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 60.0;

/// A line of a plot: its name, its colour, and its value in a sample.
type Line = (&'static str, &'static str, fn(&Sample) -> f64);

/// The plots: what is shown, and its lines.
const PLOTS: [(&str, &[Line]); 4] = [
    (
        "Questions answered, each second",
        &[("questions/s", "#1b6ca8", |s| s.queries_per_s)],
    ),
    (
        "Slowest hundredth of the answers, seconds",
        &[("p99", "#b03030", |s| s.p99_ms / 1000.0)],
    ),
    (
        "Memory, MB of Pss",
        &[
            ("workers", "#1b6ca8", |s| s.workers_pss_mb),
            ("nats-server", "#e08e2b", |s| s.server_pss_mb),
            ("asking", "#8a8f98", |s| s.driver_pss_mb),
        ],
    ),
    (
        "Stored",
        &[
            ("MB of steps", "#1b6ca8", |s| s.steps_mb),
            ("timers, hundreds", "#e08e2b", |s| {
                s.timers_messages as f64 / 100.0
            }),
        ],
    ),
];

/// The page.
pub(super) fn page(args: &SoakArgs, seed: u64, soaked: &Soaked) -> String {
    let plots: String = PLOTS
        .iter()
        .map(|(title, lines)| plot(title, lines, &soaked.samples, &soaked.kills))
        .collect();
    let outcomes = soaked.account.outcomes.iter();
    let outcomes: String = outcomes
        .map(|(outcome, count)| format!("<tr><td>{outcome}</td><td>{count}</td></tr>"))
        .collect();
    let verdict = match soaked.account.fault() {
        None => "Nothing was lost and nothing doubled.".to_owned(),
        Some(fault) => format!("<strong>{}</strong>", fault.replace('<', "&lt;")),
    };
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>argosy-bench soak</title>\
         <style>body{{font:15px sans-serif;max-width:62em;margin:2em auto}}td{{padding:2px 12px}}svg{{max-width:100%}}</style>\
         <h1>A fleet under kills</h1><p>{verdict}</p><p>{summary}</p>\
         <p>{machine}; {rate} questions a second for {seconds} s; model and index are stubs. Thin lines are kills of workers, \
         thick ones of nats-server.</p>{plots}<h2>How questions ended</h2><table>{outcomes}</table></html>\n",
        summary = summary(seed, soaked),
        machine = argosy::machine::machine().replace('<', "&lt;"),
        rate = args.rate,
        seconds = args.seconds,
    )
}

fn plot(title: &str, lines: &[Line], samples: &[Sample], kills: &[Kill]) -> String {
    let end = samples.last().map_or(1.0, |s| s.at_s).max(1.0);
    let values = lines.iter().flat_map(|(_, _, of)| samples.iter().map(of));
    let top = round_up(values.filter(|value| value.is_finite()).fold(0.0, f64::max));
    let x = |at_s: f64| LEFT + (WIDTH - LEFT) * at_s.min(end) / end;
    let y = |value: f64| HEIGHT * (1.0 - value / top) + 10.0;
    let mut svg = format!(
        "<h2>{title}</h2><svg viewBox=\"0 0 {WIDTH:.0} {:.0}\" font-size=\"11\" role=\"img\" aria-label=\"{title}\">",
        HEIGHT + 30.0
    );
    for kill in kills {
        let (width, colour) = match kill.process.as_str() {
            SERVER => (2.0, "#999"),
            _ => (0.5, "#ddd"),
        };
        let _ = write!(
            svg,
            "<path d=\"M{0:.1} 10V{1:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\"><title>{2} at {3:.0} s</title></path>",
            x(kill.at_s),
            HEIGHT + 10.0,
            kill.process,
            kill.at_s
        );
    }
    for share in [0.0, 0.5, 1.0] {
        let at = y(top * share);
        let _ = write!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{WIDTH}\" stroke=\"#ccc\"/><text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            top * share
        );
    }
    for (number, (name, colour, of)) in lines.iter().enumerate() {
        let points = samples.iter().filter(|s| of(s).is_finite());
        let points: String = points
            .map(|s| format!("{:.1},{:.1} ", x(s.at_s), y(of(s))))
            .collect();
        let _ = write!(
            svg,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\
             <text x=\"{:.0}\" y=\"{:.0}\" fill=\"{colour}\">{name}</text>",
            LEFT + 120.0 * number as f64,
            HEIGHT + 25.0
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{WIDTH}\" y=\"{:.0}\" text-anchor=\"end\">{end:.0} s</text></svg>",
        HEIGHT + 25.0
    );
    svg
}

/// The next of 1, 2 and 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.max(1e-3).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= value).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_round_figure() {
        for (value, end) in [
            (0.0, 0.001),
            (0.7, 1.0),
            (1.0, 1.0),
            (130.0, 200.0),
            (501.0, 1000.0),
        ] {
            assert!((round_up(value) - end).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn a_plot_has_a_point_for_each_sample_and_a_line_for_each_kill() {
        let sample = |at_s, p99_ms| Sample {
            at_s,
            p99_ms,
            ..Sample::default()
        };
        let samples = [
            sample(5.0, 20.0),
            sample(10.0, f64::NAN),
            sample(15.0, 40.0),
        ];
        let kills = [("mapper", 3.0), (SERVER, 9.0)].map(|(process, at_s)| Kill {
            at_s,
            process: process.into(),
        });
        let (title, lines) = PLOTS[1];
        let svg = plot(title, lines, &samples, &kills);
        let points = svg
            .split("points=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        assert_eq!(
            points.map(|points| points.split(' ').filter(|p| !p.is_empty()).count()),
            Some(2),
            "{svg}"
        );
        assert!(
            svg.contains("mapper at 3 s") && svg.contains("nats-server at 9 s"),
            "{svg}"
        );
        assert!(!svg.contains("NaN"), "{svg}");
    }
}
