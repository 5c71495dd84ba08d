//! The HTML page of a report: figures, plots and failures in one file that needs no other file.

use super::Error;
use std::path::Path;

/// A page.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Its title.
    pub(super) title: String,
    /// What was measured, on what, and where.
    pub(super) lead: String,
    /// Figures with their names.
    pub(super) rows: Vec<(String, String)>,
    /// Shares from 0 to 1 with their names and what stands behind the bar.
    pub(super) bars: Vec<(String, f64, String)>,
    /// What the bars say.
    pub(super) bars_title: String,
    /// A drawing of its own, as SVG.
    pub(super) plot: String,
    /// What failed, a line each.
    pub(super) failed: Vec<String>,
}

/// Pixels of a whole bar.
const BAR: f64 = 200.0;

impl Page {
    /// Writes it to a file.
    ///
    /// # Errors
    /// When the file cannot be written; it is named.
    pub(super) fn write(&self, path: &Path) -> Result<(), Error> {
        std::fs::write(path, self.html()).map_err(|error| Error::File {
            path: path.to_owned(),
            error,
        })
    }

    /// As HTML.
    pub(super) fn html(&self) -> String {
        let rows = self.rows.iter().map(|(what, value)| {
            format!(
                "<tr><td>{}</td><td>{}</td></tr>",
                escaped(what),
                escaped(value)
            )
        });
        let bars = self.bars.iter().map(|(what, share, told)| {
            format!(
                "<tr><td>{}</td><td><svg width=\"204\" height=\"14\"><rect width=\"{BAR}\" height=\"14\" fill=\"#ddd\"/>\
                 <rect width=\"{:.0}\" height=\"14\" fill=\"#2a6\"/></svg></td><td>{}</td></tr>",
                escaped(what),
                share.clamp(0.0, 1.0) * BAR,
                escaped(told)
            )
        });
        let failed = self.failed.iter();
        let failed = failed.map(|line| format!("<li>{}</li>", escaped(line)));
        format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
             <style>body{{font:15px sans-serif;max-width:60em;margin:2em auto}}td{{padding:2px 12px}}li{{margin:6px 0}}</style>\
             <h1>{title}</h1><p>{lead}</p><table>{rows}</table>{plot}{bars_head}<table>{bars}</table>\
             <h2>What failed</h2><ol>{failed}</ol></html>\n",
            title = escaped(&self.title),
            lead = escaped(&self.lead),
            rows = rows.collect::<String>(),
            plot = self.plot,
            bars_head = match self.bars.is_empty() {
                true => String::new(),
                false => format!("<h2>{}</h2>", escaped(&self.bars_title)),
            },
            bars = bars.collect::<String>(),
            failed = failed.collect::<String>(),
        )
    }
}

/// A curve through points from 0 to 1 in both directions, with a name for each axis and a cross at one point.
pub(super) fn curve(points: &[(f64, f64)], x: &str, y: &str, mark: (f64, f64)) -> String {
    let at = |(x, y): (f64, f64)| (40.0 + 300.0 * x, 310.0 - 300.0 * y);
    let line: Vec<String> = points
        .iter()
        .map(|point| {
            let (x, y) = at(*point);
            format!("{x:.1},{y:.1}")
        })
        .collect();
    let (mark_x, mark_y) = at(mark);
    format!(
        "<svg width=\"360\" height=\"340\"><rect x=\"40\" y=\"10\" width=\"300\" height=\"300\" fill=\"none\" stroke=\"#888\"/>\
         <polyline points=\"{}\" fill=\"none\" stroke=\"#26a\"/>\
         <path d=\"M{:.1} {:.1}l12 12m0 -12l-12 12\" stroke=\"#c22\"/>\
         <text x=\"40\" y=\"330\">{}</text><text x=\"20\" y=\"310\" transform=\"rotate(-90 20 310)\">{}</text></svg>",
        line.join(" "),
        mark_x - 6.0,
        mark_y - 6.0,
        escaped(x),
        escaped(y)
    )
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_no_markup() {
        let page = Page {
            title: "a < b".into(),
            bars: vec![("dev".into(), 2.0, "3 of 4 & more".into())],
            failed: vec!["<script>".into()],
            plot: curve(&[(0.0, 0.0), (1.0, 1.0)], "x", "y", (0.5, 0.5)),
            ..Page::default()
        };
        let html = page.html();
        assert!(html.contains("<title>a &lt; b</title>") && html.contains("&lt;script&gt;"));
        assert!(
            html.contains("width=\"200\" height=\"14\" fill=\"#2a6\""),
            "a bar ends"
        );
        assert_eq!(
            Page::default().html().matches("<h2>").count(),
            1,
            "no empty heading"
        );
        assert!(html.contains("points=\"40.0,310.0 340.0,10.0\""));
    }
}
