//! Describes this machine for reports of measurements (on Linux, from `/proc`).

use std::fs::read_to_string;

/// The machine in one line.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let model = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model.lines().find_map(|line| {
        line.strip_prefix("model name")?
            .split_once(':')
            .map(|(_, m)| m.trim().to_owned())
    });
    let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "{cores} cores, {}, Linux {}",
        model.unwrap_or_else(|| "unknown processor".into()),
        kernel.trim()
    )
}
