//! Numbers in words, and the words that multiply a number, such as `thousand`. *Not* here: how an amount is parsed
//! (`amounts`).

use std::collections::HashMap;
use std::sync::LazyLock;

/// The numbers below a hundred that one word names. It is asked for nearly every word of a text.
static SMALL: LazyLock<HashMap<&str, f64>> = LazyLock::new(|| {
    let ones = both!(ones).map(|words| words.split_ascii_whitespace().zip(0..));
    let tens = both!(tens).map(|words| words.split_ascii_whitespace().zip((20..).step_by(10)));
    let tens = tens.into_iter().flatten();
    let all = ones.into_iter().flatten().chain(tens);
    all.map(|(word, number)| (word, f64::from(number)))
        .collect()
});

/// The number below a hundred that a lower-case word names: `seven`, `forty`, `twenty-five`.
pub fn small(word: &str) -> Option<f64> {
    let of = |word: &str| SMALL.get(word).copied();
    if let Some((tens, ones)) = word.split_once('-') {
        let (tens, ones) = (of(tens)?, of(ones)?);
        return (tens >= 20.0 && ones < 20.0).then_some(tens + ones);
    }
    of(word)
}

/// The words that multiply the number before them. It is asked for every word behind a number.
static SCALES: LazyLock<HashMap<&str, f64>> = LazyLock::new(|| {
    let lists = [
        (both!(thousand), 1e3),
        (both!(lakh), 1e5),
        (both!(million), 1e6),
        (both!(crore), 1e7),
        (both!(billion), 1e9),
        (both!(trillion), 1e12),
    ];
    let mut scales = HashMap::new();
    for (lists, scale) in lists {
        for word in lists.into_iter().flat_map(str::split_ascii_whitespace) {
            // A word of two lists means what the first one says.
            scales.entry(word).or_insert(scale);
        }
    }
    scales
});

/// The factor by which a lower-case word multiplies the number before it: `k`, `million`. `m` is also a unit.
pub fn scale(word: &str) -> Option<f64> {
    SCALES.get(word).copied()
}
