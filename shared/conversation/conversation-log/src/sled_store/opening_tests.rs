//! Tests with folders of other releases, and with a sled that hangs.

use super::*;
use crate::sled_store::Injection;
use crate::sled_store::record::FORMAT;
use std::sync::mpsc::channel;
use std::time::Duration;

const NOW: UnixMs = UnixMs(5);

fn with(damage: OnDamage) -> Options {
    Options {
        damage,
        ..Options::default()
    }
}

#[test]
fn a_later_release_s_store_is_left_alone() {
    let path = tempfile::tempdir().unwrap();
    let folder = Folder::at(path.path()).unwrap();
    let later = Meta {
        format: FORMAT + 1,
        ..Meta::fresh(NOW)
    };
    let written = renew(&folder, 1, &Options::default(), nothing(later));
    // The reading again refuses it, so the copy is made to count by hand.
    assert!(written.is_err());
    folder.settle(1).unwrap();
    for damage in [OnDamage::Rebuild, OnDamage::Salvage] {
        let refused = open(path.path(), NOW, with(damage)).err().unwrap();
        assert!(matches!(refused, OpenError::Newer { format, .. } if format == FORMAT + 1));
        assert_eq!(folder.newest_aside().unwrap(), None);
    }
}

#[test]
fn what_does_not_come_back_is_begun_anew() {
    let path = tempfile::tempdir().unwrap();
    drop(open(path.path(), NOW, with(OnDamage::Rebuild)).unwrap());
    // Nothing is ever sent.
    let (sender, silent) = channel::<()>();
    let silent = std::sync::Mutex::new(silent);
    let hangs = Options {
        silence: Duration::from_secs(2),
        inject: Injection::new(move |point| {
            if point == StorePoint::Opening {
                let _ = silent.lock().unwrap().recv();
            }
            Ok(())
        }),
        ..with(OnDamage::Rebuild)
    };
    let (shared, loss) = open(path.path(), NOW, hangs).unwrap();
    let loss = loss.unwrap();
    assert!(loss.why.contains("it made no progress"), "{}", loss.why);
    assert!(loss.aside.exists());
    assert_eq!(shared.generation(), 2);
    drop(sender);
}

#[test]
fn a_panic_is_a_broken_store() {
    let path = tempfile::tempdir().unwrap();
    drop(open(path.path(), NOW, with(OnDamage::Rebuild)).unwrap());
    let panics = Options {
        inject: Injection::new(|point| match point {
            StorePoint::Opening => panic!("as sled does"),
            _ => Ok(()),
        }),
        ..with(OnDamage::Salvage)
    };
    let (_, loss) = open(path.path(), NOW, panics).unwrap();
    let loss = loss.unwrap();
    assert!(loss.why.contains("as sled does"), "{}", loss.why);
    assert_eq!(loss.salvage, Some(Salvage::default()));
}
