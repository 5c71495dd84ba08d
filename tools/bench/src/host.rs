//! Reads what the operating system reports about processes and the machine (Linux: /proc).

use std::fs::read_to_string;

/// The user and system time of a process so far, in milliseconds; 0 when the process is gone.
pub(super) fn cpu_ms(pid: u32) -> f64 {
    let stat = read_to_string(format!("/proc/{pid}/stat"));
    stat.map_or(0.0, |stat| stat_ms(&stat))
}

/// The user and system time of those threads of this process whose names begin with `name`.
pub(super) fn threads_cpu_ms(name: &str) -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let stats = tasks.filter_map(|task| read_to_string(task.ok()?.path().join("stat")).ok());
    let named = stats.filter(|stat| {
        let comm = stat.split_once('(').map(|(_, rest)| rest);
        comm.is_some_and(|comm| comm.starts_with(name))
    });
    named.map(|stat| stat_ms(&stat)).sum()
}

fn stat_ms(stat: &str) -> f64 {
    // The name may hold spaces; what follows its closing bracket does not. Fields 14 and 15 are
    // ticks of 10 ms on every Linux that we know (USER_HZ).
    let Some((_, rest)) = stat.rsplit_once(')') else {
        return 0.0;
    };
    let ticks = |n: usize| {
        rest.split_whitespace()
            .nth(n)
            .and_then(|t| t.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) * 10.0
}

/// A memory figure of a process in MB: `VmHWM` is the peak, `VmRSS` is now. 0 when the process is gone.
pub(super) fn memory_mb(pid: u32, field: &str) -> f64 {
    field_mb(&format!("/proc/{pid}/status"), field)
}

/// The proportional memory of a process in MB: what it shares with others counts as its share alone, so that the figures of
/// several processes may be added up.
pub(super) fn pss_mb(pid: u32) -> f64 {
    field_mb(&format!("/proc/{pid}/smaps_rollup"), "Pss:")
}

fn field_mb(file: &str, field: &str) -> f64 {
    let Ok(text) = read_to_string(file) else {
        return 0.0;
    };
    let line = text.lines().find(|line| line.starts_with(field));
    let kib = line
        .and_then(|line| line.split_whitespace().nth(1))
        .and_then(|kib| kib.parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}
