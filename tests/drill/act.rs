//! An act of the fire drill: a fault, the alerts that fire because of it, and the fix after which they resolve.

use crate::stand::Stand;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long an alert may take to fire after its fault, and to resolve after its fix.
const PATIENCE: Duration = Duration::from_secs(150);
/// How often to look.
const LOOK: Duration = Duration::from_millis(250);

/// An action on a stand.
pub(crate) type Deed = for<'a> fn(&'a mut Stand) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Makes a [`Deed`].
macro_rules! deed {
    ($stand:ident => $body:expr) => {
        |$stand| Box::pin(async move { $body })
    };
}
pub(crate) use deed;

/// A fault, its alerts and its fix.
pub(crate) struct Act {
    pub(crate) fault: &'static str,
    pub(crate) alerts: &'static [&'static str],
    pub(crate) begin: Deed,
    pub(crate) mend: Deed,
}

/// What was observed of an alert.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) alert: &'static str,
    pub(crate) fault: &'static str,
    pub(crate) fired: Option<Duration>,
    pub(crate) resolved: Option<Duration>,
}

impl Row {
    /// What went wrong.
    pub(crate) fn wrong(&self) -> Option<String> {
        let Row { alert, fault, .. } = self;
        match (self.fired, self.resolved) {
            (Some(_), Some(_)) => None,
            (None, _) => Some(format!("{alert} did not fire in {PATIENCE:?}: {fault}")),
            (_, None) => Some(format!("{alert} did not resolve in {PATIENCE:?}: {fault}")),
        }
    }
}

/// Plays the act, and returns what was observed.
pub(crate) async fn play(stand: &mut Stand, act: &Act) -> Vec<Row> {
    // What an act before it left behind is not its doing.
    let silent = when(stand, act.alerts, false).await;
    assert_eq!(
        silent.len(),
        act.alerts.len(),
        "they fire already, without: {}",
        act.fault
    );
    let before = stand.firing().await;
    (act.begin)(stand).await;
    let fired = when(stand, act.alerts, true).await;
    let others = &stand.firing().await - &before;
    let others: BTreeSet<_> = others
        .iter()
        .filter(|one| !act.alerts.contains(&one.as_str()))
        .collect();
    (act.mend)(stand).await;
    let resolved = when(stand, act.alerts, false).await;
    let row = |&alert: &&'static str| Row {
        alert,
        fault: act.fault,
        fired: fired.get(alert).copied(),
        resolved: resolved.get(alert).copied(),
    };
    let rows: Vec<_> = act.alerts.iter().map(row).collect();
    for row in &rows {
        print(stand.plan.name, row);
    }
    if !others.is_empty() {
        println!("{:<10} meanwhile {others:?}", stand.plan.name);
    }
    rows
}

fn print(stand: &str, row: &Row) {
    let seconds = |took: Option<Duration>| {
        took.map_or("never".into(), |t| format!("{:.0} s", t.as_secs_f64()))
    };
    let (fired, resolved) = (seconds(row.fired), seconds(row.resolved));
    println!(
        "{stand:<10} {:<36} {fired:>7} {resolved:>7}  {}",
        row.alert, row.fault
    );
}

/// Waits until each of the alerts fires, or until none does, and says when each did so first.
async fn when(
    stand: &Stand,
    alerts: &'static [&'static str],
    fires: bool,
) -> BTreeMap<&'static str, Duration> {
    let begun = Instant::now();
    let mut seen = BTreeMap::new();
    loop {
        let firing = stand.firing().await;
        for alert in alerts {
            if firing.contains(*alert) == fires {
                seen.entry(*alert).or_insert(begun.elapsed());
            }
        }
        if seen.len() == alerts.len() || begun.elapsed() > PATIENCE {
            return seen;
        }
        sleep(LOOK).await;
    }
}
