//! Tests that keys sort in order, and that values are read as they were written.

use super::*;
use crate::event::{EventKind, VERSION};
use crate::state::State;
use crate::test_log::opened;
use proptest::prelude::*;

fn key(tenant: &str, conversation: &str) -> ConversationKey {
    ConversationKey {
        tenant: TenantId::new(tenant).unwrap(),
        conversation: ConversationId::new(conversation).unwrap(),
    }
}

fn event() -> LogEvent {
    let event = EventKind::Opened(Box::new(opened(7, 900)));
    LogEvent {
        v: VERSION,
        at: UnixMs(5),
        state: State::default().after(&event).unwrap(),
        event,
    }
}

/// What this release writes, to the byte: later releases read it.
#[test]
fn golden_bytes() {
    let meta = Meta {
        purge_due: true,
        sequence: 9,
        ..Meta::fresh(UnixMs(3))
    };
    let value = write_json(META, &meta).unwrap();
    let golden = r#"{"format":1,"created":3,"sequence":9,"conversations":0,"events":0,"sum":0,"purge_due":true}"#;
    assert_eq!(&value[15..], golden.as_bytes());
    assert_eq!(crc_of(&value), 0x4bf5_cea7);
    assert_eq!(read_meta(&value), Ok(meta));
    let at = event_key(&key("a", "b"), 258);
    assert_eq!(at, b"ea\0b\0\0\0\0\0\0\0\x01\x02");
    let value = write_event(&at, 258, &event()).unwrap();
    assert_eq!(&value[27..44], b"\x01\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\0");
    let glance = Glance::at(&at, 258, &value).unwrap();
    assert_eq!(glance.mark, Mark::of(258, &event()));
    assert_eq!(glance.event(), Ok(event()));
}

#[test]
fn a_value_under_another_key_is_damage() {
    let (here, there) = (event_key(&key("a", "b"), 1), event_key(&key("a", "b"), 2));
    let value = write_event(&here, 1, &event()).unwrap();
    assert!(Glance::at(&here, 1, &value).is_ok());
    assert!(matches!(
        Glance::at(&there, 2, &value),
        Err(StoreError::Damage(_))
    ));
}

proptest! {
    #[test]
    fn keys_are_ordered_as_conversations_and_sequences_are(
        ids in prop::collection::vec(("[A-Za-z0-9_-]{1,3}", "[A-Za-z0-9_-]{1,3}", any::<u64>()), 2)
    ) {
        let of = |(tenant, conversation, sequence): &(String, String, u64)| (key(tenant, conversation), *sequence);
        let (one, other) = (of(&ids[0]), of(&ids[1]));
        let bytes = |(key, sequence): &(ConversationKey, u64)| event_key(key, *sequence);
        prop_assert_eq!(bytes(&one).cmp(&bytes(&other)), one.cmp(&other));
        prop_assert_eq!(head_key(&one.0).cmp(&head_key(&other.0)), one.0.cmp(&other.0));
        prop_assert_eq!(read_event_key(&bytes(&one)), Ok(one.clone()));
        prop_assert_eq!(read_key(&head_key(&one.0)), Ok(one.0));
    }

    #[test]
    fn a_value_is_found_among_others(before in prop::collection::vec(any::<u8>(), 0..60), content in prop::collection::vec(any::<u8>(), 0..60)) {
        let value = seal(b"key", &content).unwrap();
        let bytes = [&before[..], &value, &before].concat();
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = Sealed::may_begin(&bytes[from..]) {
            found.extend(Sealed::at_start_of(&bytes[from + at..]).map(|sealed| sealed.bytes));
            from += at + 1;
        }
        prop_assert_eq!(found, [&value[..]]);
    }

    #[test]
    fn a_changed_byte_is_noticed(at in any::<prop::sample::Index>(), by in 1u8..) {
        let key = event_key(&key("a", "b"), 1);
        let mut value = write_event(&key, 1, &event()).unwrap();
        let at = at.index(value.len());
        value[at] ^= by;
        prop_assert!(matches!(Glance::at(&key, 1, &value), Err(StoreError::Damage(_))));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(key in prop::collection::vec(any::<u8>(), 0..30), value in prop::collection::vec(any::<u8>(), 0..30)) {
        let _ = read_key(&key);
        let _ = read_event_key(&key);
        let _ = Glance::at(&key, 1, &seal(&key, &value).unwrap()).and_then(|glance| glance.event());
        let _ = read_head(&key, &seal(&key, &value).unwrap());
        let _ = read_meta(&value);
    }
}
