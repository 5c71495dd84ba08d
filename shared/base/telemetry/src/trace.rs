//! Reads and writes W3C trace context: the `traceparent` header, and `tracestate`, which is only handed on. Randomness
//! is passed in. *Not* here: spans ([`traces`](crate::traces)).

use std::fmt;

/// The bit of the flags that says that the trace is recorded.
const SAMPLED: u8 = 1;

/// The position in a trace at which a message was sent: the trace, the span of the sender, and the flags. `Display`
/// writes it as a `traceparent` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceContext {
    trace: u128,
    span: u64,
    flags: u8,
}

impl TraceContext {
    /// The root of a new trace that is sampled.
    pub fn new_root(rng: &mut fastrand::Rng) -> Self {
        Self {
            trace: rng.u128(1..),
            span: rng.u64(1..),
            flags: SAMPLED,
        }
    }

    /// The same trace with a new span in it.
    pub fn child(&self, rng: &mut fastrand::Rng) -> Self {
        let mut span = rng.u64(1..);
        while span == self.span {
            span = rng.u64(1..);
        }
        Self { span, ..*self }
    }

    /// The same trace with the span that is derived from `name`: equal names give the same span. FNV-1a over trace
    /// and name, which is enough for the some hundred spans of a trace.
    pub fn named(&self, name: &str) -> Self {
        let trace = self.trace.to_be_bytes();
        let bytes = trace.iter().chain(name.as_bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self {
            span: hash.max(1),
            ..*self
        }
    }

    /// The same, recorded if its trace is among this share of all traces: 0 for none, 1 for all.
    pub(crate) fn sampled_by(self, share: f64) -> Self {
        // The low half of the id is random by the rules of W3C; 53 bits of it fit a float.
        let place = (self.trace as u64 >> 11) as f64 / (1_u64 << 53) as f64;
        let flags = match place < share {
            true => self.flags | SAMPLED,
            false => self.flags & !SAMPLED,
        };
        Self { flags, ..self }
    }

    /// The bytes of the ids of trace and span, as collectors want them.
    pub(crate) fn bytes(&self) -> ([u8; 16], [u8; 8]) {
        (self.trace.to_be_bytes(), self.span.to_be_bytes())
    }

    pub(crate) fn flags(&self) -> u8 {
        self.flags
    }

    /// Reads a `traceparent` header, in upper or lower case and with space around it; `None` if it is malformed or one
    /// of its ids is all zero. In versions after `00`, the four known fields are read and everything after them is
    /// ignored.
    pub fn parse(header: &str) -> Option<Self> {
        let mut fields = header.trim().split('-');
        let version: u8 = hex(fields.next()?, 2)?;
        let trace: u128 = hex(fields.next()?, 32)?;
        let span: u64 = hex(fields.next()?, 16)?;
        let flags: u8 = hex(fields.next()?, 2)?;
        let more = fields.next().is_some();
        if version == 0xff || (version == 0 && more) || trace == 0 || span == 0 {
            return None;
        }
        Some(Self { trace, span, flags })
    }

    /// The id of the trace, 32 hexadecimal digits, as logs and answers show it.
    pub fn trace_id(&self) -> String {
        format!("{:032x}", self.trace)
    }

    /// The id of the span, 16 hexadecimal digits.
    pub fn span_id(&self) -> String {
        format!("{:016x}", self.span)
    }

    /// Whether this trace is recorded.
    pub fn is_sampled(&self) -> bool {
        self.flags & SAMPLED != 0
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "00-{:032x}-{:016x}-{:02x}",
            self.trace, self.span, self.flags
        )
    }
}

/// Most bytes of a `tracestate`; what is longer may be dropped.
const STATE_MAX: usize = 512;
/// Most entries of one.
const ENTRIES_MAX: usize = 32;

/// A `tracestate` header in the form in which it is handed on: entries of other vendors about the trace, `key=value`,
/// separated by commas. `None` if it is empty, too long or malformed: a malformed header is dropped completely.
pub fn state(header: &str) -> Option<String> {
    let entries = header.split(',').map(str::trim);
    let entries: Vec<_> = entries.filter(|entry| !entry.is_empty()).collect();
    let is_one = |entry: &&str| {
        let printable = entry.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        printable
            && entry
                .split_once('=')
                .is_some_and(|(key, _)| !key.is_empty())
    };
    let fits = (1..=ENTRIES_MAX).contains(&entries.len()) && entries.iter().all(is_one);
    let state = fits.then(|| entries.join(","))?;
    (state.len() <= STATE_MAX).then_some(state)
}

/// A number of exactly so many hexadecimal digits; a sign is none.
fn hex<T: TryFrom<u128>>(text: &str, digits: usize) -> Option<T> {
    if text.len() != digits || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    T::try_from(u128::from_str_radix(text, 16).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEADER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn what_others_note_is_handed_on_if_it_is_a_list() {
        let handed = |header: &str| super::state(header);
        assert_eq!(handed("a=1").as_deref(), Some("a=1"));
        assert_eq!(handed(" a=1 ,, b@c=x=y ").as_deref(), Some("a=1,b@c=x=y"));
        let many = |n: usize| vec!["k=v"; n].join(",");
        assert!(handed(&many(32)).is_some());
        let long = format!("a={}", "x".repeat(511));
        for bad in [
            "",
            " , ",
            "a",
            "=1",
            "a=\u{7}",
            "a=\u{e4}",
            &many(33),
            &long,
        ] {
            assert_eq!(handed(bad), None, "{bad}");
        }
    }

    #[test]
    fn reads_what_it_writes_and_any_case() {
        let context = TraceContext::parse(HEADER).unwrap();
        assert_eq!(context.to_string(), HEADER);
        assert_eq!(context.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(context.span_id(), "00f067aa0ba902b7");
        assert!(context.is_sampled());
        let shouted = format!("  {} ", HEADER.to_uppercase());
        assert_eq!(TraceContext::parse(&shouted), Some(context));
    }

    #[test]
    fn refuses_what_is_malformed_and_what_is_zero() {
        for bad in [
            "",
            "00",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        ] {
            assert_eq!(TraceContext::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_later_version_is_read_as_far_as_it_is_known() {
        let later = HEADER.replacen("00-", "cc-", 1) + "-what-comes";
        assert_eq!(
            TraceContext::parse(&later),
            TraceContext::parse(HEADER),
            "the four known fields"
        );
    }

    #[test]
    fn a_name_gives_the_same_span_everywhere_and_another_one_another() {
        let context = TraceContext::parse(HEADER).unwrap();
        let (a, b) = (context.named("a"), context.named("b"));
        assert_eq!(
            a,
            context.child(&mut fastrand::Rng::with_seed(3)).named("a")
        );
        assert_ne!(a.span_id(), b.span_id());
        assert_eq!(a.trace_id(), context.trace_id());
        assert!(a.is_sampled());
    }

    #[test]
    fn about_the_share_that_is_asked_for_is_sampled() {
        let mut rng = fastrand::Rng::with_seed(11);
        let roots: Vec<_> = (0..2000)
            .map(|_| TraceContext::new_root(&mut rng))
            .collect();
        let sampled = |share| {
            let of = roots
                .iter()
                .filter(|root| root.sampled_by(share).is_sampled());
            of.count()
        };
        assert_eq!((sampled(0.0), sampled(1.0)), (0, 2000));
        assert!((380..620).contains(&sampled(0.25)), "{}", sampled(0.25));
    }

    proptest! {
        #[test]
        fn roots_and_children_are_read_back(seed in any::<u64>()) {
            let mut rng = fastrand::Rng::with_seed(seed);
            let root = TraceContext::new_root(&mut rng);
            let child = root.child(&mut rng);
            prop_assert_eq!(TraceContext::parse(&root.to_string()), Some(root));
            prop_assert_eq!(TraceContext::parse(&child.to_string()), Some(child));
            prop_assert_eq!(child.trace_id(), root.trace_id());
            prop_assert_ne!(child.span_id(), root.span_id());
            prop_assert_eq!(child.is_sampled(), root.is_sampled());
        }

        #[test]
        fn no_header_panics(header in ".{0,60}", hexish in "[0-9a-f-]{0,60}") {
            let _ = TraceContext::parse(&header);
            let _ = TraceContext::parse(&hexish);
        }
    }
}
