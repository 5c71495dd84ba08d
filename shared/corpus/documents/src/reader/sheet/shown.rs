//! Writes values as people see them in their cells, by the format of the cell.
//!
//! Two things differ: thousands are not parted, since that sign is not in the file but in the settings of the reader's
//! computer; and a date that is only digits between `/` or `-` is written `2024-03-05`, since day and month would be
//! confused. Numbers with conditions, fractions or exponents in their format are written plainly.

use calamine::{Data, ExcelDateTime};

pub(in crate::reader) const MONTHS: &str =
    "January February March April May June July August September October November December";
const DAYS: &str = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday";
/// A number of this size has no digits behind its point.
const LARGE: f64 = 1e15;
/// Most digits behind the point.
const DECIMALS_MAX: usize = 15;

/// The text of a value in a cell of this format.
pub(super) fn text(value: &Data, format: &str) -> String {
    match value {
        Data::Empty => String::new(),
        Data::String(text) | Data::DurationIso(text) => text.clone(),
        Data::DateTimeIso(text) => text.trim_end_matches("T00:00:00").replace('T', " "),
        Data::Bool(is) => if *is { "TRUE" } else { "FALSE" }.to_owned(),
        Data::Error(error) => error.to_string(),
        Data::Int(number) => self::number(*number as f64, format),
        Data::Float(number) => self::number(*number, format),
        Data::DateTime(at) => date(at, format),
    }
}

fn number(value: f64, format: &str) -> String {
    formatted(value, format).unwrap_or_else(|| plain(value))
}

/// A number without a format: at most ten digits, as a cell shows it.
fn plain(value: f64) -> String {
    let size = value.abs();
    match value {
        _ if value.fract() == 0.0 && size < LARGE => format!("{value:.0}"),
        _ if !(1e-10..LARGE).contains(&size) => format!("{value:e}"),
        _ => format!("{value:.9e}").parse().unwrap_or(value).to_string(),
    }
}

/// The parts of a format: for numbers above, below and at zero.
fn sections(format: &str) -> Vec<Vec<Token>> {
    let mut sections = vec![Vec::new()];
    let mut signs = format.chars().peekable();
    while let Some(sign) = signs.next() {
        let token = match sign {
            ';' => {
                sections.push(Vec::new());
                continue;
            }
            '"' => Token::Text(signs.by_ref().take_while(|c| *c != '"').collect()),
            '\\' => Token::Text(signs.next().into_iter().collect()),
            // As wide as the next sign, or filled with it.
            '_' | '*' => {
                signs.next();
                continue;
            }
            '[' => Token::Bracket(signs.by_ref().take_while(|c| *c != ']').collect()),
            'A' | 'a' if signs.peek().is_some_and(|c| matches!(c, 'M' | 'm' | '/')) => {
                while signs.next_if(|c| "AaMmPp/".contains(*c)).is_some() {}
                Token::HalfDay
            }
            sign => {
                let mut times = 1;
                let is_word = sign.is_ascii_alphabetic();
                while is_word && signs.next_if(|c| c.eq_ignore_ascii_case(&sign)).is_some() {
                    times += 1;
                }
                Token::Sign(sign.to_ascii_lowercase(), times)
            }
        };
        if let Some(section) = sections.last_mut() {
            section.push(token);
        }
    }
    sections
}

#[derive(Debug)]
enum Token {
    Text(String),
    Bracket(String),
    HalfDay,
    /// A sign, or the same letter several times.
    Sign(char, usize),
}

/// A number as its format says; `None` where it says nothing, or what is not known here.
fn formatted(value: f64, format: &str) -> Option<String> {
    if matches!(format, "" | "General" | "@") || value.abs() >= LARGE {
        return None;
    }
    let sections = sections(format);
    let is_below = value < 0.0 && sections.len() > 1;
    let section = match value {
        _ if is_below => sections.get(1),
        0.0 => sections.get(2).or(sections.first()),
        _ => sections.first(),
    }?;
    let parts = Parts::of(section)?;
    let digits = parts.digits(value.abs());
    let text = format!("{}{digits}{}", parts.before, parts.behind);
    let says_sign = is_below && text.contains(['-', '(', '−']);
    let is_negative =
        value < 0.0 && !says_sign && digits.bytes().any(|b| (b'1'..=b'9').contains(&b));
    Some(if is_negative {
        format!("-{text}")
    } else {
        text
    })
}

/// What the format of a number says.
#[derive(Default)]
struct Parts {
    before: String,
    behind: String,
    /// Digits that are shown, before the point and behind it, at least and at most.
    whole: usize,
    decimals: (usize, usize),
    has_digits: bool,
    scale: i32,
}

impl Parts {
    fn of(section: &[Token]) -> Option<Parts> {
        let mut parts = Parts::default();
        let (mut is_behind_point, mut commas) = (false, 0);
        for token in section {
            let mut text = String::new();
            match token {
                Token::Sign('0' | '#' | '?', _) if !parts.behind.is_empty() => return None,
                Token::Sign(sign @ ('0' | '#' | '?'), _) => {
                    (parts.has_digits, commas) = (true, 0);
                    let is_always = usize::from(*sign == '0');
                    match is_behind_point {
                        true => {
                            parts.decimals.1 += 1;
                            parts.decimals.0 = [parts.decimals.0, parts.decimals.1][is_always];
                        }
                        false => parts.whole += is_always,
                    }
                }
                Token::Sign('.', _) if !is_behind_point => is_behind_point = true,
                Token::Sign(',', _) => commas += 1,
                Token::Sign('%', _) => {
                    parts.scale += 2;
                    text.push('%');
                }
                Token::Sign('e' | 'g' | '@' | '/', _) | Token::HalfDay => return None,
                Token::Sign(sign, times) => text.extend(std::iter::repeat_n(*sign, *times)),
                Token::Text(literal) => text.push_str(literal),
                Token::Bracket(inner) if inner.starts_with(['<', '>', '=']) => return None,
                Token::Bracket(inner) => {
                    let currency = inner.strip_prefix('$').unwrap_or_default();
                    text.push_str(currency.split('-').next().unwrap_or_default());
                }
            }
            match parts.has_digits {
                true => parts.behind.push_str(&text),
                false => parts.before.push_str(&text),
            }
        }
        parts.scale -= 3 * commas;
        Some(parts)
    }

    fn digits(&self, value: f64) -> String {
        if !self.has_digits {
            return String::new();
        }
        let (least, most) = (
            self.decimals.0.min(DECIMALS_MAX),
            self.decimals.1.min(DECIMALS_MAX),
        );
        // What is a half in decimal digits is rounded up, though it may be a little less in binary ones.
        let value = value * 10_f64.powi(self.scale) * (1.0 + 4.0 * f64::EPSILON);
        let text = format!("{value:.most$}");
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let kept = decimals.trim_end_matches('0').len().max(least);
        let is_nothing = self.whole == 0 && least == 0 && kept == 0 && whole == "0";
        match (kept, is_nothing) {
            (_, true) => String::new(),
            (0, _) => format!("{whole:0>0$}", self.whole),
            _ => format!("{whole:0>0$}.{1}", self.whole, &decimals[..kept]),
        }
    }
}

fn date(at: &ExcelDateTime, format: &str) -> String {
    let (year, month, day, hour, minute, second, _) = at.to_ymd_hms_milli();
    if at.is_duration() {
        let seconds = (at.as_f64() * 86_400.0).round() as i64;
        let (size, sign) = (seconds.abs(), if seconds < 0 { "-" } else { "" });
        return format!(
            "{sign}{}:{:02}:{:02}",
            size / 3600,
            size / 60 % 60,
            size % 60
        );
    }
    let sections = sections(format);
    let tokens = sections.first().map_or(&[][..], |section| section);
    let has = |signs: &str| {
        tokens
            .iter()
            .any(|t| matches!(t, Token::Sign(c, _) if signs.contains(*c)))
    };
    let is_foreign = |t: &Token| matches!(t, Token::Bracket(inner) if inner.starts_with("$-") && !inner.ends_with("09"));
    let is_word = |t: &Token| matches!(t, Token::Sign('m' | 'd', 3..));
    let is_unclear = !tokens.iter().any(is_word) && (has("/-") || !has("ymdhs"));
    if tokens.iter().any(is_foreign) || is_unclear {
        let day = format!("{year:04}-{month:02}-{day:02}");
        let time = format!("{hour:02}:{minute:02}");
        let has_time = has("h") || at.as_f64().fract() != 0.0;
        return match has("yd") || !has("h") {
            false => time,
            true if has_time => format!("{day} {time}"),
            true => day,
        };
    }
    let has_halves = tokens.iter().any(|token| matches!(token, Token::HalfDay));
    let mut text = String::new();
    let mut after_hours = false;
    for (index, token) in tokens.iter().enumerate() {
        let next = tokens[index + 1..].iter().find_map(|t| match t {
            Token::Sign(sign @ ('y' | 'm' | 'd' | 'h' | 's'), _) => Some(*sign),
            _ => None,
        });
        match token {
            Token::Text(literal) => text.push_str(literal),
            Token::Bracket(_) => {}
            Token::HalfDay => text.push_str(if hour < 12 { "AM" } else { "PM" }),
            Token::Sign('m', times) if after_hours || next == Some('s') => {
                text.push_str(&padded(minute.into(), *times));
                after_hours = false;
            }
            Token::Sign(sign, times) => {
                after_hours = *sign == 'h' || after_hours && !"ymds".contains(*sign);
                match (sign, times) {
                    ('y', 1..=2) => text.push_str(&padded(u64::from(year % 100), 2)),
                    ('y', _) => text.push_str(&year.to_string()),
                    ('m', 1..=2) => text.push_str(&padded(month.into(), *times)),
                    ('m', _) => {
                        text.push_str(&name(MONTHS, usize::from(month).saturating_sub(1), *times))
                    }
                    ('d', 1..=2) => text.push_str(&padded(day.into(), *times)),
                    ('d', _) => {
                        let days = day_of_week(year.into(), month.into(), day.into());
                        text.push_str(&name(DAYS, days, *times));
                    }
                    ('h', _) if has_halves => {
                        text.push_str(&padded(u64::from((hour + 11) % 12 + 1), *times))
                    }
                    ('h', _) => text.push_str(&padded(hour.into(), *times)),
                    ('s', _) => text.push_str(&padded(second.into(), *times)),
                    (sign, times) => text.extend(std::iter::repeat_n(*sign, *times)),
                }
            }
        }
    }
    text
}

fn padded(number: u64, digits: usize) -> String {
    format!("{number:0>0$}", digits.min(2))
}

/// A name whole, or cut to three letters.
fn name(names: &str, index: usize, letters: usize) -> String {
    let name = names.split(' ').nth(index).unwrap_or_default();
    match letters {
        3 => name.chars().take(3).collect(),
        _ => name.to_owned(),
    }
}

/// The day of the week, from 0 for Monday.
fn day_of_week(year: u64, month: u64, day: u64) -> usize {
    // Years begin in March, so that leap days are at their ends.
    let (year, month) = if month < 3 {
        (year.saturating_sub(1), month + 12)
    } else {
        (year, month)
    };
    let days = day + (13 * (month + 1)) / 5 + year + year / 4 - year / 100 + year / 400;
    (days as usize + 5) % 7
}
