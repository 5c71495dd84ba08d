//! Acts of the fire drill in which the disk of a retriever or a store is full, and in which documents are missing,
//! not indexed, or only partly indexed.

use crate::act::{Act, deed};
use crate::binary::argosy;
use crate::crowd::PLACES;
use crate::fleet::{Fleet, until};
use crate::stand::{Plan, Searches, Stand, WHOLE};
use envelope::Role;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

pub(crate) const PLAN: Plan = Plan {
    name: "disk",
    set: &["gateway.backlog_every=1s"],
    searches: Searches::Embedder,
    ..WHOLE
};

/// The number of documents that no index has room for; it is more than an index may be behind.
const DOCUMENTS: usize = 150;

pub(crate) const ACTS: &[Act] = &[
    Act {
        fault: "nothing is indexed",
        alerts: &["ArgosyRetrievalEmptyHigh"],
        begin: deed!(_stand => {}),
        mend: deed!(stand => stand.index().await),
    },
    Act {
        fault: "the indexer makes no vectors, and then is stopped",
        alerts: &["ArgosyChunksWithoutVector", "ArgosyIndexingStalled"],
        begin: deed!(stand => {
            stand.kill(Role::Indexer).await;
            stand.fleet.plan.set.push("retrieval.embedder=none".into());
            stand.start_one(Role::Indexer).ready().await;
            index(stand, "bare", 1).await;
            stand.fleet.plan.set.pop();
            stand.signal(Role::Indexer, "-STOP");
            publish(stand, "waiting", 3).await;
        }),
        mend: deed!(stand => {
            stand.kill(Role::Indexer).await;
            stand.start_one(Role::Indexer).ready().await;
            index(stand, "bare", 1).await;
        }),
    },
    Act {
        fault: "the disk of the data folders is full, and documents come",
        alerts: &[
            "ArgosyDataFolderFull",
            "ArgosyDataFolderFilling",
            "ArgosyIndexLag",
        ],
        begin: deed!(stand => {
            for role in KEEPERS {
                in_its_disk(stand, role, "mount -t tmpfs -o remount,size=64m drill \"$0\" && ! head -c 64m /dev/zero > \"$0/ballast\"");
            }
            publish(stand, "late", DOCUMENTS).await;
        }),
        mend: deed!(stand => {
            for role in KEEPERS {
                in_its_disk(stand, role, "rm \"$0/ballast\" && mount -t tmpfs -o remount,size=8g drill \"$0\"");
            }
            // An index whose disk was full takes in nothing any more before it is opened anew.
            stand.kill(Role::Retriever).await;
            stand.start_one(Role::Retriever).ready().await;
        }),
    },
    // The last one: it leaves a process without a disk of its own.
    Act {
        fault: "two processes are given one folder for their stores",
        alerts: &["ArgosyConversationStoreClosed"],
        begin: deed!(stand => {
            stand.kill(Role::Conversation).await;
            let first = stand.start_plainly(Role::Conversation, None);
            until("the first store to be open", async || {
                let open = first.counter("argosy_conversation_store_open", &[]).await;
                (open == 1).then_some(())
            })
            .await;
            let port = stand.ports[&Role::Conversation];
            stand.start_plainly(Role::Conversation, Some(port));
        }),
        mend: deed!(stand => stand.kill(Role::Conversation).await),
    },
];

/// The roles that keep files.
pub(crate) const KEEPERS: [Role; 2] = [Role::Retriever, Role::Conversation];

/// The binary, started with a RAM disk at the data folder that no other process sees. Of its 8 GiB, only written
/// bytes take memory.
pub(crate) fn wrapped(fleet: &Fleet) -> PathBuf {
    let script = fleet.dir().join("with-a-disk");
    let text = format!(
        r#"#!/bin/sh
[ "$(id -u)" = 0 ] || more=--map-root-user
exec unshare --mount $more sh -c 'mount -t tmpfs -o size=8g drill "$0" && exec "$@"' '{}' '{}' "$@"
"#,
        fleet.plan.data_dir.display(),
        argosy().display()
    );
    std::fs::create_dir_all(&fleet.plan.data_dir).expect("a folder");
    std::fs::write(&script, text).expect("a file");
    std::fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("it may run");
    script
}

/// Runs a line of shell in the process' own view of its disk; `$0` is its folder.
fn in_its_disk(stand: &mut Stand, role: Role, line: &str) {
    let pid = stand.fleet.of(role).member.pid().expect("it runs");
    let enter = r#"[ "$(id -u)" = 0 ] || more="--user --preserve-credentials"
exec nsenter --target "$1" --mount $more sh -c "$2" "$0""#;
    let folder = stand.fleet.plan.data_dir.clone();
    let pid = pid.to_string();
    let ran = Command::new("sh")
        .arg("-c")
        .arg(enter)
        .arg(folder)
        .args([&pid, line])
        .output();
    let ran = ran.expect("a shell");
    assert!(ran.status.success(), "{line}: {ran:?}");
}

/// Writes documents and publishes them.
async fn publish(stand: &Stand, folder: &str, count: usize) {
    let root = write(stand, folder, count);
    stand.fleet.json(&["index", &root, "--no-wait"]).await;
}

/// The same, and waits until all are indexed.
async fn index(stand: &Stand, folder: &str, count: usize) {
    let root = write(stand, folder, count);
    stand.fleet.json(&["index", &root, "--force"]).await;
}

fn write(stand: &Stand, folder: &str, count: usize) -> String {
    let root = stand.fleet.dir().join("corpus");
    std::fs::create_dir_all(root.join(folder)).expect("a folder");
    for number in 0..count {
        let place = PLACES[number % PLACES.len()];
        let text = format!("# Fence {number}\n\nThe fence {number} of the {place} depot is new.\n");
        std::fs::write(root.join(folder).join(format!("{number}.md")), text).expect("a file");
    }
    root.to_str().expect("a path").to_owned()
}
