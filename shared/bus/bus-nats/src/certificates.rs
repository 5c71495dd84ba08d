//! Reads when the certificates of a connection expire, from their files as they are now. A supervisor may have
//! replaced the files, and the client reads them again for every connection. *Not* here: whether the server accepts
//! the certificates.

use super::Options;
use async_nats::rustls::pki_types::CertificateDer;
use async_nats::rustls::pki_types::pem::PemObject;
use envelope::Role;
use prometheus::IntGaugeVec;
use std::path::{Path, PathBuf};
use telemetry::Registry;
use x509_cert::Certificate;
use x509_cert::der::Decode;

/// The certificates of a connection.
pub struct Certificates {
    role: Role,
    authority: Option<PathBuf>,
    client: Option<PathBuf>,
    expiry: IntGaugeVec,
}

impl Certificates {
    /// The certificates that `options` name, for the role of this process. No file is read yet.
    ///
    /// # Errors
    /// When the registry has another family of this name.
    pub fn new(
        registry: &Registry,
        role: Role,
        options: &Options,
    ) -> Result<Certificates, telemetry::Error> {
        Ok(Certificates {
            role,
            authority: options.tls_ca.clone(),
            client: options.tls_cert.clone(),
            expiry: Certificates::register(registry)?,
        })
    }

    /// Registers the family, without a series.
    ///
    /// # Errors
    /// When the registry has another family of this name.
    pub fn register(registry: &Registry) -> Result<IntGaugeVec, telemetry::Error> {
        registry.gauge(
            "argosy_certificate_expiry_seconds",
            "Unix time at which the certificates in a file for NATS expire: the last one of `ca`, the first one of \
             `client`. Absent without TLS, and if the file is no certificate.",
            &["role", "file"],
        )
    }

    /// Reads the files. Blocks.
    pub fn measure(&self) {
        // While an authority is changed, the old one stands beside the new one.
        let authority = self
            .authority
            .as_deref()
            .map(|path| ends(path).into_iter().max());
        let client = self
            .client
            .as_deref()
            .map(|path| ends(path).into_iter().next());
        for (file, end) in [("ca", authority), ("client", client)] {
            let Some(end) = end else { continue };
            let label = [self.role.as_str(), file];
            match end {
                Some(end) => self.expiry.with_label_values(&label).set(end.cast_signed()),
                // It may never have been there.
                None => drop(self.expiry.remove_label_values(&label)),
            }
        }
    }
}

/// The Unix times at which the certificates of a PEM file end, in its order.
fn ends(path: &Path) -> Vec<u64> {
    let Ok(found) = CertificateDer::pem_file_iter(path) else {
        return Vec::new();
    };
    let read = found
        .flatten()
        .filter_map(|der| Certificate::from_der(&der).ok());
    read.map(|one| {
        one.tbs_certificate
            .validity
            .not_after
            .to_unix_duration()
            .as_secs()
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/certificates");
        folder.join(name)
    }

    fn shown(ca: &str, cert: &str) -> String {
        let registry = Registry::new();
        let options = Options {
            tls_ca: Some(file(ca)),
            tls_cert: Some(file(cert)),
            tls_key: Some(file("no.key")),
            ..Options::default()
        };
        let certificates = Certificates::new(&registry, Role::Mapper, &options).unwrap();
        certificates.measure();
        let text = registry.encode();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_newest_authority_and_the_clients_own_certificate_count() {
        assert_eq!(
            shown("authorities.pem", "client.pem"),
            "argosy_certificate_expiry_seconds{file=\"ca\",role=\"mapper\"} 2208974952\n\
             argosy_certificate_expiry_seconds{file=\"client\",role=\"mapper\"} 2051208552"
        );
    }

    #[test]
    fn what_is_no_certificate_has_no_series() {
        assert_eq!(shown("nowhere.pem", "../certificates.rs"), "");
    }
}
