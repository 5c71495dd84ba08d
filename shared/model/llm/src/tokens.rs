//! A rough estimate of a text's length in tokens: for budgets and for cutting, never for billing.

/// Tokens of `text`, estimated without a tokenizer: ASCII letters and spaces count a quarter, ASCII
/// digits and punctuation a half, everything else one; rounded up.
///
/// English prose comes out 5 to 20 % above common tokenizers, tables and identifiers close to them,
/// CJK text above: a cut made by this estimate fits.
pub fn estimate(text: &str) -> u32 {
    // By bytes: of those of a character beyond ASCII, only the first one counts.
    let quarters: u64 = text
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b' ' | b'\n' | b'\t' | b'\r' => 1,
            0x00..=0x7f => 2,
            0x80..=0xbf => 0,
            0xc0..=0xff => 4,
        })
        .sum();
    u32::try_from(quarters.div_ceil(4)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn weighs_by_kind_of_character() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("word"), 1);
        assert_eq!(estimate("words"), 2);
        assert_eq!(estimate("2026"), 2);
        assert_eq!(estimate("日本"), 2);
    }

    proptest! {
        #[test]
        fn grows_with_the_text(a in "\\PC{0,80}", b in "\\PC{0,80}") {
            let both = estimate(&format!("{a}{b}"));
            prop_assert!(both >= estimate(&a).max(estimate(&b)));
            prop_assert!(both <= estimate(&a) + estimate(&b));
        }
    }
}
