//! Acts of the fire drill in which the connection to the server is lost or unstable, or its certificate expires.

use crate::act::{Act, deed};
use crate::fleet::until;
use crate::stand::{Plan, Stand, WHOLE, signal};
use envelope::Role;

pub(crate) const PLAN: Plan = Plan {
    name: "wire",
    set: &["streams.ack_wait=2s"],
    tls: true,
    ..WHOLE
};

/// How often the server is restarted: more than the rule allows.
const RESTARTS: usize = 5;

pub(crate) const ACTS: &[Act] = &[
    Act {
        fault: "nats-server is killed",
        alerts: &["ArgosyNatsDisconnected"],
        begin: deed!(stand => stand.server.kill().expect("a kill")),
        mend: deed!(stand => stand.server.restart().await.expect("a restart")),
    },
    Act {
        fault: "nats-server is restarted again and again",
        alerts: &["ArgosyNatsUnstable"],
        begin: deed!(stand => {
            for _ in 0..RESTARTS {
                let before = reconnects(stand).await;
                stand.server.restart().await.expect("a restart");
                until("the gateway to come back", async || {
                    (reconnects(stand).await > before).then_some(())
                })
                .await;
            }
        }),
        mend: deed!(_stand => {}),
    },
    Act {
        fault: "the clients' certificate ends in ten minutes",
        alerts: &["ArgosyCertificateEnding", "ArgosyCertificateExpiring"],
        begin: deed!(stand => stand.tls.as_ref().expect("an authority").issue("client", 600)),
        mend: deed!(stand => stand.tls.as_ref().expect("an authority").issue("client", 365 * 86_400)),
    },
    Act {
        fault: "the fleet may not acknowledge",
        alerts: &["ArgosyRedeliveryStorm"],
        begin: deed!(stand => forbid(stand, NOTHING, ACKS)),
        mend: deed!(stand => forbid(stand, ACKS, NOTHING)),
    },
];

/// Subjects without a publisher, and those of acknowledgements.
const NOTHING: &str = "nothing.at.all";
const ACKS: &str = "$JS.ACK.>";

/// The permissions of clients that connect without a name, for the configuration of the server.
pub(crate) fn permissions() -> String {
    format!(
        "authorization {{ users: [{{ user: fleet, password: fleet, permissions: {{ publish: {{ deny: [\"{NOTHING}\"] }} }} }}] }}\n\
         no_auth_user: fleet\n"
    )
}

/// Forbids other subjects than before.
fn forbid(stand: &Stand, before: &str, after: &str) {
    let file = stand.server.store_dir().join("server.conf");
    let text = std::fs::read_to_string(&file).expect("the configuration of the server");
    assert!(text.contains(before), "{text}");
    std::fs::write(&file, text.replace(before, after)).expect("a file");
    signal(stand.server.pid(), "-HUP");
}

async fn reconnects(stand: &Stand) -> u64 {
    let gateway = stand
        .fleet
        .processes
        .iter()
        .find(|one| one.member.role == Role::Gateway);
    let gateway = gateway.expect("a gateway");
    gateway.counter("argosy_nats_reconnects_total", &[]).await
}
