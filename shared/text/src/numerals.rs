//! Numbers in words, and the words that multiply one. *Not* how an amount is read: forms differ by use.

/// Words of scale behind a number.
const SCALES: &[(&str, f64)] = &[
    ("k", 1e3),
    ("thousand", 1e3),
    ("grand", 1e3),
    ("lakh", 1e5),
    ("m", 1e6),
    ("mn", 1e6),
    ("mio", 1e6),
    ("mln", 1e6),
    ("million", 1e6),
    ("millions", 1e6),
    ("crore", 1e7),
    ("bn", 1e9),
    ("billion", 1e9),
    ("billions", 1e9),
    ("trillion", 1e12),
    ("trillions", 1e12),
];

/// The number below a hundred that a lower-case word is: `seven`, `forty`, `twenty-five`.
pub fn small(word: &str) -> Option<f64> {
    const ONES: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
        fifteen sixteen seventeen eighteen nineteen";
    const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";
    let place = |words: &str, word: &str| {
        let place = words
            .split_ascii_whitespace()
            .position(|known| known == word);
        place
            .and_then(|place| u8::try_from(place).ok())
            .map(f64::from)
    };
    if let Some((tens, ones)) = word.split_once('-') {
        return Some(place(TENS, tens)? * 10.0 + 20.0 + place(ONES, ones)?);
    }
    place(ONES, word).or_else(|| place(TENS, word).map(|tens| tens * 10.0 + 20.0))
}

/// What a lower-case word behind a number multiplies it by: `k`, `million`. `m` is also a unit.
pub fn scale(word: &str) -> Option<f64> {
    let known = SCALES.iter().find(|(name, _)| *name == word);
    known.map(|(_, scale)| *scale)
}
