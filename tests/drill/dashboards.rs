//! Tests the dashboards: every query returns data from a fleet that answered questions and had faults.

use crate::rules;
use crate::stand::Stand;
use serde_json::Value;
use std::path::Path;
use std::time::SystemTime;

/// Panels with a query that has no data here, with the reason.
const EMPTY: &[(&str, &str)] = &[(
    "Time until certificates end",
    "this stand has no TLS; the one of the connection has",
)];

/// A query of a panel.
struct Query {
    dashboard: String,
    panel: String,
    expression: String,
}

/// Runs every query over the time since `since`. The test fails when a query has no data and is not listed, or is
/// listed and has data.
pub(crate) async fn all_have_data(stand: &Stand, since: SystemTime) {
    let (mut wrong, mut hit) = (Vec::new(), Vec::new());
    let queries = queries();
    for Query {
        dashboard,
        panel,
        expression,
    } in &queries
    {
        let named = EMPTY.iter().any(|(title, _)| title == panel);
        let has_data = has_data(stand, &asked(expression), since).await;
        if named && !has_data {
            hit.push(panel.as_str());
        } else if !has_data {
            wrong.push(format!("{dashboard}, {panel}: no data: {expression}"));
        }
    }
    let stale = EMPTY.iter().filter(|(title, _)| !hit.contains(title));
    wrong.extend(
        stale.map(|(title, _)| format!("{title}: every query has data, or there is no such panel")),
    );
    println!(
        "{:<10} {} queries of dashboards, {} without data",
        stand.plan.name,
        queries.len(),
        hit.len() + wrong.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The expression with its variables filled in, and with shorter times.
fn asked(expression: &str) -> String {
    let filled = expression
        .replace("$__rate_interval", "5m")
        .replace("$__range", "1h")
        .replace("$namespace", ".*")
        .replace("$role", ".*")
        .replace("$model", ".*");
    assert!(!filled.contains("=~\"$"), "an unknown variable: {filled}");
    rules::expression(&filled, 60)
}

async fn has_data(stand: &Stand, expression: &str, since: SystemTime) -> bool {
    let series = stand.prometheus.query_since(expression, since).await;
    let numbers = series
        .iter()
        .flat_map(|one| one["values"].as_array().into_iter().flatten());
    let mut numbers = numbers.filter_map(|value| value[1].as_str()?.parse::<f64>().ok());
    numbers.any(f64::is_finite)
}

fn queries() -> Vec<Query> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../charts/argosy/files/dashboards");
    let entries = std::fs::read_dir(folder).expect("the dashboards of the chart");
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut queries = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file");
        let dashboard: Value = serde_json::from_str(&text).expect("JSON");
        let name = dashboard["title"].as_str().expect("a title");
        let panels = dashboard["panels"].as_array().expect("panels");
        panels
            .iter()
            .for_each(|panel| collect(name, panel, &mut queries));
    }
    assert!(!queries.is_empty(), "there are no dashboards");
    queries
}

/// Collects the queries of a panel and of the panels in it, as a closed row has them.
fn collect(dashboard: &str, panel: &Value, queries: &mut Vec<Query>) {
    for inner in panel["panels"].as_array().into_iter().flatten() {
        collect(dashboard, inner, queries);
    }
    for target in panel["targets"].as_array().into_iter().flatten() {
        queries.push(Query {
            dashboard: dashboard.to_owned(),
            panel: panel["title"].as_str().expect("a title").to_owned(),
            expression: target["expr"].as_str().expect("a query").to_owned(),
        });
    }
}
