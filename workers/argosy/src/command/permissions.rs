//! `argosy permissions`: prints who may do what on a NATS server that several parties share, and makes the keys of their
//! logins.

use crate::cli::{Output, PermissionsArgs};
use crate::cli_error::CliError;
use crate::out::{notice, print};
use crate::permissions::{Login, Parties, Tenant, User};
use crate::render;
use bus_nats::{Permissions, Seed, inbox_of};
use envelope::TenantId;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Prints the accounts of a server.
pub fn run(args: PermissionsArgs, output: Output) -> Result<(), CliError> {
    let mut keys = Keys::new(args.keys)?;
    let mut tenants = Vec::new();
    for name in args.tenants {
        let tenant =
            TenantId::new(name).map_err(|error| CliError::usage(format!("--tenants: {error}")))?;
        if tenants.iter().any(|known: &Tenant| known.tenant == tenant) {
            return Err(CliError::usage(format!(
                "--tenants: `{tenant}` is there twice"
            )));
        }
        let nkey = keys.public(&format!("tenant-{tenant}"))?;
        tenants.push(Tenant { tenant, nkey });
    }
    let user = |login: Login| {
        let login_name = login.to_string();
        let nkey = keys.public(&login_name)?;
        Ok(User {
            permissions: Permissions::of(&login.rights(), &inbox_of(&nkey)),
            login: login_name,
            nkey,
        })
    };
    let users = Login::all().map(user).collect::<Result<_, CliError>>()?;
    let parties = Parties { users, tenants };
    match output {
        Output::Json => render::json(&parties),
        _ => print!("{parties}"),
    }
    keys.told();
    Ok(())
}

/// The keys of logins: in a folder, or none yet.
struct Keys {
    folder: Option<PathBuf>,
    made: usize,
}

impl Keys {
    fn new(folder: Option<PathBuf>) -> Result<Keys, CliError> {
        if let Some(folder) = &folder {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|error| failed(folder, &error))?;
        }
        Ok(Keys { folder, made: 0 })
    }

    /// The public key of a login, whose seed is made if it is not there. Without a folder it is a place for a key, with
    /// which no server starts.
    fn public(&mut self, login: &str) -> Result<String, CliError> {
        let Some(folder) = &self.folder else {
            return Ok(format!("PUBLIC_KEY_OF_{login}"));
        };
        let path = folder.join(format!("{login}.nk"));
        match std::fs::read_to_string(&path) {
            // Whoever keeps its seed to itself has sent the public key alone.
            Ok(text) if Seed::is_public(text.trim()) => Ok(text.trim().to_owned()),
            Ok(_) => Ok(Seed::read(&path)?.public),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let seed = Seed::new()?;
                write(&path, &seed).map_err(|error| failed(&path, &error))?;
                self.made += 1;
                Ok(seed.public)
            }
            Err(error) => Err(failed(&path, &error)),
        }
    }

    fn told(&self) {
        match &self.folder {
            Some(folder) if self.made > 0 => notice!(
                "{} seeds are new in {}: give each to its login, as `nats.nkey`",
                self.made,
                folder.display()
            ),
            Some(_) => {}
            None => notice!("no server takes these keys: --keys DIR makes some"),
        }
    }
}

/// Writes a seed for its owner's eyes, where there is none.
fn write(path: &Path, seed: &Seed) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(format!("{}\n", seed.secret).as_bytes())?;
    file.sync_all()
}

fn failed(path: &Path, error: &std::io::Error) -> CliError {
    CliError::negative(format!("`{}`: {error}", path.display()))
}
