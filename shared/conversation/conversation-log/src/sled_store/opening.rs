//! Opens a store from a folder, whatever the folder contains: locks, tidies and checks it. If sled's folder is
//! broken, it is renamed and replaced by a new one.

use crate::sled_store::engine::{self, Engine};
use crate::sled_store::floor;
use crate::sled_store::folder::Folder;
use crate::sled_store::guard::{Beat, Mishap, guarded};
use crate::sled_store::owner::{NotOurs, Owner};
use crate::sled_store::record::Meta;
use crate::sled_store::renew::{self, nothing, renew};
use crate::sled_store::salvage::{Salvage, rescued};
use crate::sled_store::shared::{Current, Shared};
use crate::sled_store::verify::{Unsound, verify};
use crate::sled_store::{OnDamage, Options, StorePoint};
use crate::store::StoreError;
use envelope::{Class, Classify, UnixMs};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Broken folders of a view that are kept for a look; older ones are deleted.
const ASIDE_MAX: usize = 2;

/// Why a store is not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Another process has the folder.
    #[error("`{}` is in use by {}; one process owns a store of conversations", folder.display(), process(*pid))]
    Held {
        /// The folder.
        folder: PathBuf,
        /// The process, if that is known.
        pid: Option<u32>,
    },
    /// A later release wrote the store.
    #[error("a later release wrote `{}`: format {format}; use that release, or another folder", folder.display())]
    Newer {
        /// The folder.
        folder: PathBuf,
        /// The format that it has.
        format: u16,
    },
    /// The folder cannot be read or written.
    #[error("`{}`: {source}", folder.display())]
    Store {
        /// The folder.
        folder: PathBuf,
        /// What went wrong.
        source: StoreError,
    },
}

fn process(pid: Option<u32>) -> String {
    pid.map_or("another process".to_owned(), |pid| {
        format!("the process {pid}")
    })
}

impl Classify for OpenError {
    fn class(&self) -> Class {
        match self {
            OpenError::Held { .. } => Class::Transient,
            OpenError::Newer { .. } => Class::Permanent,
            OpenError::Store { source, .. } => source.class(),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            OpenError::Held { .. } => "store_held",
            OpenError::Newer { .. } => "store_newer",
            OpenError::Store { source, .. } => source.code(),
        }
    }
}

/// The report of a broken store that was replaced by a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// What was found.
    pub why: String,
    /// Where the broken folder is now.
    pub aside: PathBuf,
    /// What was recovered, if that was asked for. Otherwise the new store is empty.
    pub salvage: Option<Salvage>,
}

/// Opens a folder. Blocks.
pub(super) fn open(
    path: &Path,
    now: UnixMs,
    options: Options,
) -> Result<(Shared, Option<Loss>), OpenError> {
    let failed = |source: StoreError| OpenError::Store {
        folder: path.to_owned(),
        source,
    };
    let disk = |error: io::Error| failed(error.into());
    options.inject.at(StorePoint::Taking).map_err(disk)?;
    let folder = Folder::at(path).map_err(disk)?;
    let owner = Owner::of(path).map_err(|not| match not {
        NotOurs::Held(pid) => OpenError::Held {
            folder: path.to_owned(),
            pid,
        },
        NotOurs::Disk(error) => disk(error),
    })?;
    let found = current(&folder, now, &options);
    let (current, loss) = found.map_err(|unsound| match unsound {
        Unsound::Newer(format) => OpenError::Newer {
            folder: path.to_owned(),
            format,
        },
        Unsound::Store(error) => failed(error),
    })?;
    Ok((Shared::on(folder, owner, current, options), loss))
}

/// The generation that counts, or a new one where there is none or it is broken.
fn current(
    folder: &Folder,
    now: UnixMs,
    options: &Options,
) -> Result<(Current, Option<Loss>), Unsound> {
    let (generation, aside) = match folder.tidy()? {
        None => (1, interrupted(folder, options)?),
        Some(generation) => match whole(folder, generation, now, options)? {
            Ok(engine) => {
                let current = Current::of(folder, generation, engine, options)?;
                return Ok((current, None));
            }
            Err(aside) => (generation + 1, Some(aside)),
        },
    };
    let loss = begin(folder, generation, aside, now, options)?;
    let engine = renew::open(&folder.events(generation), options)?;
    Ok((Current::of(folder, generation, engine, options)?, loss))
}

/// A broken folder: where it is now, and what was found.
type Aside = (PathBuf, String);

/// Opens the generation that counts, or sets it aside.
fn whole(
    folder: &Folder,
    generation: u64,
    now: UnixMs,
    options: &Options,
) -> Result<Result<Engine, Aside>, Unsound> {
    if options.damage == OnDamage::Salvage {
        folder.keep(generation)?;
        options.inject.at(StorePoint::Kept)?;
    }
    match checked(&folder.events(generation), options)? {
        Checked::Whole(engine) => {
            folder.let_go(generation)?;
            Ok(Ok(engine))
        }
        Checked::Broken(why) => {
            let aside = folder.set_aside(generation, now)?;
            options.inject.at(StorePoint::SetAside)?;
            Ok(Err((aside, why)))
        }
    }
}

/// What was set aside by a process that did not come to bring over what is left of it.
fn interrupted(folder: &Folder, options: &Options) -> io::Result<Option<Aside>> {
    if options.damage != OnDamage::Salvage {
        return Ok(None);
    }
    let why = "it was set aside before and not brought over";
    Ok(folder.newest_aside()?.map(|aside| (aside, why.to_owned())))
}

/// What was found in the folder that counts.
enum Checked {
    Whole(Engine),
    /// Why it is to be set aside.
    Broken(String),
}

/// Opens the folder that counts and reads all of it. One that cannot be used for another reason than that it is broken
/// must be left as it is.
fn checked(path: &Path, options: &Options) -> Result<Checked, Unsound> {
    let (path, cache_bytes) = (path.to_owned(), options.cache_bytes);
    let inject = options.inject.clone();
    let known = floor::read(&path);
    let open = move |beat: &Beat| -> Result<Engine, Unsound> {
        inject.at(StorePoint::Opening)?;
        let engine = engine::open(&path, cache_bytes)?;
        beat.on();
        let found = verify(engine.tree(), beat)?.sequence;
        if found < known {
            let what = format!("it is at sequence {found} and was at {known}");
            return Err(StoreError::Damage(what).into());
        }
        Ok(engine)
    };
    match guarded("store-open", options.silence, open) {
        Ok(Ok(engine)) => Ok(Checked::Whole(engine)),
        Ok(Err(Unsound::Store(
            error @ (StoreError::Damage(_) | StoreError::Failed(_) | StoreError::Event(_)),
        ))) => Ok(Checked::Broken(error.to_string())),
        Ok(Err(stop)) => Err(stop),
        Err(mishap @ (Mishap::Panic(_) | Mishap::Silence(_))) => {
            Ok(Checked::Broken(mishap.to_string()))
        }
        Err(mishap @ Mishap::NoThread(_)) => Err(StoreError::from(mishap).into()),
    }
}

/// Begins a generation: with what is left of a broken one, or empty.
fn begin(
    folder: &Folder,
    generation: u64,
    aside: Option<Aside>,
    now: UnixMs,
    options: &Options,
) -> Result<Option<Loss>, StoreError> {
    let told = Arc::new(Mutex::new(Salvage::default()));
    let salvage = match (&aside, options.damage) {
        (Some((path, _)), OnDamage::Salvage) => {
            let fill = rescued(path.clone(), now, told.clone());
            renew(folder, generation, options, fill)?;
            Some(told.lock().unwrap_or_else(PoisonError::into_inner).clone())
        }
        _ => {
            let fill = nothing(Meta::fresh(UnixMs(0)));
            renew(folder, generation, options, fill)?;
            folder.remove_aside(ASIDE_MAX)?;
            None
        }
    };
    Ok(aside.map(|(aside, why)| Loss {
        why,
        aside,
        salvage,
    }))
}

#[cfg(test)]
#[path = "opening_tests.rs"]
mod tests;
