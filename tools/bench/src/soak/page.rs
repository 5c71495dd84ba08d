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
        "Questions ended, each second",
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
            ("MB of answers", "#2a9d5c", |s| s.answers_mb),
            ("timers, hundreds", "#e08e2b", |s| {
                s.timers_messages as f64 / 100.0
            }),
            ("questions waiting", "#8a8f98", |s| s.inbox_messages as f64),
        ],
    ),
];

/// The page.
pub(super) fn page(args: &SoakArgs, soaked: &Soaked) -> String {
    let plots: String = PLOTS
        .iter()
        .map(|(title, lines)| plot(title, lines, &soaked.samples, &soaked.kills))
        .collect();
    let outcomes = soaked.account.outcomes.iter();
    let outcomes: String = outcomes
        .map(|(outcome, count)| format!("<tr><td>{outcome}</td><td>{count}</td></tr>"))
        .collect();
    let verdict = match soaked.account.fault() {
        None => "Every question was answered, once.".to_owned(),
        Some(fault) => format!("<strong>{}</strong>", fault.replace('<', "&lt;")),
    };
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>argosy-bench soak</title>\
         <style>body{{font:15px sans-serif;max-width:62em;margin:2em auto}}td{{padding:2px 12px}}svg{{max-width:100%}}</style>\
         <h1>A fleet under kills</h1><p>{verdict}</p><p>{summary}</p>\
         <p>{machine}; {rate} questions a second for {seconds} s; model and index are stubs. Thin lines are kills of workers, \
         thick ones of nats-server.</p>{plots}<h2>How questions ended</h2><table>{outcomes}</table></html>\n",
        summary = summary(soaked),
        machine = argosy::machine::machine().replace('<', "&lt;"),
        rate = args.rate,
        seconds = args.seconds,
    )
}

/// The scales of a plot.
struct Scales {
    /// Seconds at the right end.
    end: f64,
    /// The value at the top.
    top: f64,
}

impl Scales {
    fn x(&self, at_s: f64) -> f64 {
        LEFT + (WIDTH - LEFT) * at_s / self.end
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT * (1.0 - value / self.top) + 10.0
    }
}

fn plot(title: &str, lines: &[Line], samples: &[Sample], kills: &[Kill]) -> String {
    let times = samples.iter().map(|s| s.at_s);
    let times = times.chain(kills.iter().map(|kill| kill.at_s));
    let values = lines.iter().flat_map(|(_, _, of)| samples.iter().map(of));
    let scales = Scales {
        end: times.fold(1.0, f64::max),
        top: round_up(values.filter(|value| value.is_finite()).fold(0.0, f64::max)),
    };
    let mut svg = format!(
        "<h2>{title}</h2><svg viewBox=\"0 0 {WIDTH:.0} {:.0}\" font-size=\"11\" role=\"img\" aria-label=\"{title}\">",
        HEIGHT + 30.0
    );
    for kill in kills {
        svg.push_str(&mark(&scales, kill));
    }
    for share in [0.0, 0.5, 1.0] {
        let (value, at) = (scales.top * share, scales.y(scales.top * share));
        let _ = write!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{WIDTH}\" stroke=\"#ccc\"/><text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            LEFT - 6.0,
            at + 4.0,
        );
    }
    let below = HEIGHT + 25.0;
    for (number, (name, colour, of)) in lines.iter().enumerate() {
        // Where nothing ended there is no time: the line is broken there.
        for run in samples.split(|s| !of(s).is_finite()) {
            let points = run.iter().map(|s| (scales.x(s.at_s), scales.y(of(s))));
            let points: String = points.map(|(x, y)| format!("{x:.1},{y:.1} ")).collect();
            let _ = write!(
                svg,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>"
            );
        }
        let left = LEFT + 140.0 * number as f64;
        let _ = write!(
            svg,
            "<text x=\"{left:.0}\" y=\"{below:.0}\" fill=\"{colour}\">{name}</text>"
        );
    }
    let end = scales.end;
    let _ = write!(
        svg,
        "<text x=\"{WIDTH}\" y=\"{below:.0}\" text-anchor=\"end\">{end:.0} s</text></svg>"
    );
    svg
}

/// The line of a kill.
fn mark(scales: &Scales, kill: &Kill) -> String {
    let (width, colour) = match kill.process.as_str() {
        SERVER => (2.0, "#999"),
        _ => (0.5, "#ddd"),
    };
    format!(
        "<path d=\"M{:.1} 10V{:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\"><title>{} at {:.0} s</title></path>",
        scales.x(kill.at_s),
        HEIGHT + 10.0,
        kill.process,
        kill.at_s
    )
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
        let lines = svg.split("points=\"").skip(1);
        let lines = lines.map(|rest| rest.split('"').next().unwrap_or_default());
        let points: Vec<usize> = lines.map(|line| line.split_whitespace().count()).collect();
        assert_eq!(points, [1, 1], "broken where nothing ended: {svg}");
        assert!(
            svg.contains("mapper at 3 s") && svg.contains("nats-server at 9 s"),
            "{svg}"
        );
        assert!(!svg.contains("NaN"), "{svg}");
    }
}
