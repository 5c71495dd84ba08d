//! Measures the host of a process: the free disk space for its files, and the expiry of its certificates. *Not* here:
//! whether these suffice, which the alerts and the connection itself tell.

use crate::config::Config;
use bus_nats::Certificates;
use envelope::Role;
use inspect::disk;
use prometheus::IntGaugeVec;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use telemetry::Registry;
use tokio_util::sync::CancellationToken;

/// How often it looks.
const EVERY: Duration = Duration::from_secs(30);

/// What is measured.
pub(crate) struct Host {
    room: Option<Room>,
    certificates: Certificates,
}

/// The room for the files of a role that keeps some.
struct Room {
    role: Role,
    dir: PathBuf,
    metrics: RoomMetrics,
}

/// The metric families of the data folder.
pub(crate) struct RoomMetrics {
    free: IntGaugeVec,
    size: IntGaugeVec,
}

impl RoomMetrics {
    /// Registers the families, without a series.
    pub(crate) fn new(registry: &Registry) -> Result<RoomMetrics, telemetry::Error> {
        Ok(RoomMetrics {
            free: registry.gauge(
                "argosy_data_free_bytes",
                "Bytes that can still be written to the disk of the data folder, for roles that keep files in it.",
                &["role"],
            )?,
            size: registry.gauge(
                "argosy_data_size_bytes",
                "Size in bytes of the disk of the data folder, for roles that keep files in it.",
                &["role"],
            )?,
        })
    }
}

impl Room {
    /// Sets the gauges. A value that cannot be read is removed, because an old number would look current.
    fn measure(&self) {
        let (label, found) = ([self.role.as_str()], disk::of(&self.dir).ok());
        let RoomMetrics { free, size } = &self.metrics;
        for (family, bytes) in [
            (free, found.as_ref().map(|disk| disk.free)),
            (size, found.as_ref().map(|disk| disk.total)),
        ] {
            match bytes {
                Some(bytes) => family.with_label_values(&label).set(bytes.cast_signed()),
                // It may never have been there.
                None => drop(family.remove_label_values(&label)),
            }
        }
    }
}

impl Host {
    /// Sets up the measurements of a process of this role: disk and certificates.
    pub(super) fn new(
        role: Role,
        config: &Config,
        registry: &Registry,
    ) -> Result<Host, telemetry::Error> {
        let room = match role.keeps_files() {
            true => Some(Room {
                role,
                dir: config.data_dir.0.clone(),
                metrics: RoomMetrics::new(registry)?,
            }),
            false => None,
        };
        let options = config.nats("", true);
        Ok(Host {
            room,
            certificates: Certificates::new(registry, role, &options)?,
        })
    }

    /// Measures again and again until it is told to stop.
    pub(super) async fn measure(self, stop: &CancellationToken) {
        let host = Arc::new(self);
        loop {
            let looking = host.clone();
            // A disk of the network may take its time.
            let looked = tokio::task::spawn_blocking(move || looking.look());
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = async {
                    let _ = looked.await;
                    tokio::time::sleep(EVERY).await;
                } => {}
            }
        }
    }

    fn look(&self) {
        self.certificates.measure();
        if let Some(room) = &self.room {
            room.measure();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_of_a_role_that_keeps_files_is_shown_and_of_no_other() {
        let config = Config::default();
        for (role, is_there) in [(Role::Retriever, true), (Role::Mapper, false)] {
            let registry = Registry::new();
            Host::new(role, &config, &registry).unwrap().look();
            let text = registry.encode();
            for family in ["argosy_data_free_bytes", "argosy_data_size_bytes"] {
                let series = format!("{family}{{role=\"{role}\"}} ");
                let value = text.lines().find_map(|line| line.strip_prefix(&*series));
                let value: Option<u64> = value.map(|value| value.parse().unwrap());
                assert_eq!(value.is_some_and(|value| value > 0), is_there, "{text}");
            }
        }
    }
}
