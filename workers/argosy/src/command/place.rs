//! Where a command works that goes without a fleet as well: the fleet that is named, or the folder of a corpus, in this
//! process.

use crate::cli::{Output, only_with};
use crate::cli_error::{CliError, FOLDER};
use crate::command::connect_or;
use crate::config::Config;
use crate::kept_conversations::Kept;
use crate::local::{Local, index_dir};
use crate::render::{self, NAMED, ProgressLine};
use bus::Bus;
use bus_nats::NatsBus;
use corpus_sync::SkippedFile;
use documents::PublishMode;
use envelope::{ConversationId, TenantId};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The tenant whose documents a fleet of one process holds.
const DEFAULT_TENANT: &str = "default";

/// The hint for commands that can also read a folder.
const IN_THIS_PROCESS: &str = "name a folder with --corpus to work in this process";

/// Where a command works.
pub(crate) enum Place {
    /// A fleet on NATS.
    Fleet(Arc<NatsBus>),
    /// A fleet in this process.
    Here(Box<Local>),
}

/// The folder of a corpus, and how its index is brought up to date.
#[derive(Default)]
pub(crate) struct Folder {
    /// The folder; the working directory if none is named.
    pub(crate) corpus: Option<PathBuf>,
    /// The index is used as it is.
    pub(crate) reuse: bool,
    /// Every file is indexed anew.
    pub(crate) force: bool,
}

impl Place {
    /// Connects to the fleet, or brings the index of the folder up to date.
    pub(crate) async fn open(
        is_remote: bool,
        folder: Folder,
        config: &Config,
        output: Output,
    ) -> Result<Place, CliError> {
        if is_remote {
            only_for_folder(
                config,
                &[("--reuse", folder.reuse), ("--force", folder.force)],
            )?;
            return Ok(Place::Fleet(connect_or(config, IN_THIS_PROCESS).await?));
        }
        let corpus = folder.corpus.unwrap_or_else(|| PathBuf::from("."));
        must_be_folder(&corpus)?;
        let index = index_dir(config, &corpus);
        if folder.reuse && !index.is_dir() {
            return Err(nothing_to_use_again(&corpus));
        }
        let mut local = Local::start(config, &index).await?;
        let prepared = match folder.reuse {
            true if local.chunk_count() == 0 => Err(nothing_to_use_again(&corpus)),
            true => Ok(()),
            false => prepare(&mut local, &corpus, folder.force, output).await,
        };
        match prepared {
            Ok(()) => Ok(Place::Here(Box::new(local))),
            Err(fail) => {
                local.stop().await;
                Err(fail)
            }
        }
    }

    /// The bus of the fleet.
    pub(crate) fn bus(&self) -> &dyn Bus {
        match self {
            Place::Fleet(bus) => &**bus,
            Place::Here(local) => &*local.bus,
        }
    }

    /// Opens a conversation for one question, where no fleet keeps it.
    pub(crate) async fn conversation(
        &self,
        conversation: &ConversationId,
    ) -> Result<Option<Kept>, CliError> {
        match self {
            Place::Fleet(_) => Ok(None),
            Place::Here(local) => Ok(Some(local.open(conversation).await?)),
        }
    }

    /// Whether the offline reader answers in this process.
    pub(crate) fn is_offline(&self) -> bool {
        matches!(self, Place::Here(local) if local.chosen.offline)
    }

    /// Stops what runs in this process.
    pub(crate) async fn close(self) {
        if let Place::Here(local) = self {
            local.stop().await;
        }
    }
}

/// Refuses another tenant than the default one where no fleet is named.
pub(crate) fn only_default_tenant(is_remote: bool, tenant: &str) -> Result<(), CliError> {
    only_with(is_remote, &[("--tenant", tenant != DEFAULT_TENANT)])
}

/// The tenant that is named; without a fleet there is only the default one.
pub(crate) fn tenant(is_remote: bool, named: &str) -> Result<TenantId, CliError> {
    only_default_tenant(is_remote, named)?;
    TenantId::new(named).map_err(|error| CliError::usage(format!("--tenant: {error}")))
}

/// Which files are indexed.
pub(crate) fn mode(force: bool) -> PublishMode {
    match force {
        true => PublishMode::Force,
        false => PublishMode::Incremental,
    }
}

/// Refuses what is given for a folder although a fleet is asked, because it would have no effect.
fn only_for_folder(config: &Config, given: &[(&str, bool)]) -> Result<(), CliError> {
    let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) else {
        return Ok(());
    };
    let by = config.given.by("nats.url").unwrap_or("default");
    Err(CliError::usage(format!(
        "{flag} is for a folder, and `nats.url` ({by}) names a fleet"
    ))
    .hint("name the folder with --corpus"))
}

/// Refuses a `root` that is no folder before anything is created for it.
pub(crate) fn must_be_folder(root: &Path) -> Result<(), CliError> {
    if root.is_dir() {
        return Ok(());
    }
    let what = if root.exists() {
        "is not a folder"
    } else {
        "does not exist"
    };
    Err(CliError::not_found(format!("`{}` {what}", root.display())).hint(FOLDER))
}

/// Brings the index up to date with the folder.
async fn prepare(
    local: &mut Local,
    corpus: &Path,
    force: bool,
    output: Output,
) -> Result<(), CliError> {
    let line = ProgressLine::new(output);
    let say = |progress| line.show(progress);
    let indexed = local.index(corpus.to_owned(), mode(force), say).await;
    line.done();
    let skipped = indexed?.skipped;
    if local.chunk_count() == 0 {
        return Err(nothing_read(&skipped, corpus));
    }
    render::skipped(&skipped, corpus);
    Ok(())
}

/// Says of a folder of which nothing can be read why, by file.
fn nothing_read(skipped: &[SkippedFile], corpus: &Path) -> CliError {
    let lines = render::skipped_lines(skipped);
    let text = format!(
        "`{}` holds no document that can be read{lines}",
        corpus.display()
    );
    let hint = match skipped.len() {
        0 => FOLDER.to_owned(),
        1..=NAMED => "the lines above say what helps".to_owned(),
        n => format!(
            "and {} more; `argosy index {}` names all",
            n - NAMED,
            corpus.display()
        ),
    };
    let code = if skipped.is_empty() {
        "not_found"
    } else {
        "nothing_read"
    };
    CliError::not_found(text).code(code).hint(hint)
}

fn nothing_to_use_again(corpus: &Path) -> CliError {
    let text = format!("there is no index of `{}` to use again", corpus.display());
    CliError::not_found(text).hint("leave --reuse out to build it")
}
