//! A server that requires TLS with client certificates, and the authority that issues them, made with openssl.

use bus_nats::{NatsBus, Options};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// How long certificates are valid by default, in days.
const DAYS: u64 = 365;
/// The configuration that `openssl ca` needs.
const CONFIG: &str = "[ca]\ndefault_ca = here\n[here]\ndatabase = index.txt\nserial = serial\nnew_certs_dir = .\n\
    default_md = sha256\npolicy = any\ncopy_extensions = copy\nunique_subject = no\n[any]\ncommonName = supplied\n";

/// An authority, with the certificates that it issued for the server and for its clients.
pub(crate) struct Authority(TempDir);

impl Authority {
    /// One with a certificate for the server and one for the clients.
    ///
    /// # Panics
    /// When there is no openssl.
    pub(crate) fn new() -> Authority {
        let authority = Authority(TempDir::with_prefix("argosy-tls-").expect("a folder"));
        for (name, text) in [("ca.conf", CONFIG), ("index.txt", ""), ("serial", "01")] {
            std::fs::write(authority.file(name), text).expect("a file");
        }
        authority.openssl(&[
            "req",
            "-x509",
            "-days",
            "3650",
            "-subj",
            "/CN=drill",
            "-out",
            "ca.pem",
            "-keyout",
            "ca.key",
        ]);
        authority.issue("server", DAYS * 86_400);
        authority.issue("client", DAYS * 86_400);
        authority
    }

    /// Replaces a certificate and its key by one that is valid for so many seconds.
    pub(crate) fn issue(&self, name: &str, seconds: u64) {
        let (subject, request) = (format!("/CN={name}"), format!("{name}.csr"));
        let (key, cert) = (format!("{name}.key"), format!("{name}.pem"));
        let address = "subjectAltName=IP:127.0.0.1";
        self.openssl(&[
            "req", "-new", "-subj", &subject, "-addext", address, "-out", &request, "-keyout", &key,
        ]);
        let end = format!("now + {seconds} seconds");
        let end = run(Command::new("date").args(["-u", "-d", &end, "+%Y%m%d%H%M%SZ"]));
        let of_authority = [
            "ca", "-batch", "-notext", "-config", "ca.conf", "-cert", "ca.pem", "-keyfile",
            "ca.key",
        ];
        let one = ["-in", &request, "-out", &cert, "-enddate", end.trim()];
        run(Command::new("openssl")
            .current_dir(self.0.path())
            .args(of_authority)
            .args(one));
    }

    /// Lines for the configuration of the server.
    pub(crate) fn of_server(&self) -> String {
        let [ca, cert, key] = ["ca.pem", "server.pem", "server.key"].map(|name| self.file(name));
        format!(
            "tls {{ ca_file: \"{}\", cert_file: \"{}\", key_file: \"{}\", verify: true }}\n",
            ca.display(),
            cert.display(),
            key.display()
        )
    }

    /// Options of the clients.
    pub(crate) fn of_clients(&self) -> Vec<String> {
        let options = [
            ("tls_ca", "ca.pem"),
            ("tls_cert", "client.pem"),
            ("tls_key", "client.key"),
        ];
        let option = |(key, name)| format!("nats.{key}={}", self.file(name).display());
        options.map(option).to_vec()
    }

    /// A connection of the test itself.
    pub(crate) async fn connect(&self, url: String) -> Arc<NatsBus> {
        let options = Options {
            url,
            tls_ca: Some(self.file("ca.pem")),
            tls_cert: Some(self.file("client.pem")),
            tls_key: Some(self.file("client.key")),
            ..Options::default()
        };
        NatsBus::connect(options).await.expect("a connection")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Makes a request or a certificate, with a key for it.
    fn openssl(&self, args: &[&str]) {
        let (first, rest) = args.split_first().expect("a command");
        let key = [
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
        ];
        run(Command::new("openssl")
            .current_dir(self.0.path())
            .arg(first)
            .args(key)
            .args(rest));
    }
}

/// The output of the command, which has to succeed.
fn run(command: &mut Command) -> String {
    let program = Path::new(command.get_program()).display().to_string();
    let ran = command.output();
    let ran = ran.unwrap_or_else(|error| panic!("install {program}: it does not run: {error}"));
    assert!(
        ran.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8_lossy(&ran.stdout).into_owned()
}
