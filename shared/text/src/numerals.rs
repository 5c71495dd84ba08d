//! Numbers in words, and the words that multiply a number, such as `thousand`. *Not* here: how an amount is parsed;
//! each user of this module does that itself, because each accepts other notations.

/// The number below a hundred that a lower-case word names: `seven`, `forty`, `twenty-five`.
pub fn small(word: &str) -> Option<f64> {
    if let Some((tens, ones)) = word.split_once('-') {
        return Some(ten(tens)? + one(ones)?);
    }
    one(word).or_else(|| ten(word))
}

/// Asked for nearly every word of a text: a `match` compares the length first.
fn one(word: &str) -> Option<f64> {
    Some(match word {
        "zero" => 0.0,
        "one" => 1.0,
        "two" => 2.0,
        "three" => 3.0,
        "four" => 4.0,
        "five" => 5.0,
        "six" => 6.0,
        "seven" => 7.0,
        "eight" => 8.0,
        "nine" => 9.0,
        "ten" => 10.0,
        "eleven" => 11.0,
        "twelve" => 12.0,
        "thirteen" => 13.0,
        "fourteen" => 14.0,
        "fifteen" => 15.0,
        "sixteen" => 16.0,
        "seventeen" => 17.0,
        "eighteen" => 18.0,
        "nineteen" => 19.0,
        _ => return None,
    })
}

fn ten(word: &str) -> Option<f64> {
    Some(match word {
        "twenty" => 20.0,
        "thirty" => 30.0,
        "forty" => 40.0,
        "fifty" => 50.0,
        "sixty" => 60.0,
        "seventy" => 70.0,
        "eighty" => 80.0,
        "ninety" => 90.0,
        _ => return None,
    })
}

/// The factor by which a lower-case word multiplies the number before it: `k`, `million`. `m` is also a unit.
pub fn scale(word: &str) -> Option<f64> {
    Some(match word {
        "k" | "thousand" | "grand" => 1e3,
        "lakh" => 1e5,
        "m" | "mn" | "mio" | "mln" | "million" | "millions" => 1e6,
        "crore" => 1e7,
        "bn" | "billion" | "billions" => 1e9,
        "trillion" | "trillions" => 1e12,
        _ => return None,
    })
}
