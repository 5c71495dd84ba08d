//! Reads test cases from data files and checks them. Only tests use it; the tests of `linking` include this file, too.
//!
//! A file has sections. The head `[teller of corpus on 2025-06-02]` says how the questions below it are read, in which
//! corpus and on which day; the last two may be missing. A case is a line `question => reading`. A line that begins with
//! `#` is a comment, and says what the cases below it have in common. `\n` stands for a line break.

/// Checks all cases of a file. `told` gets what the head says behind the names of the readings, one of these, and the
/// question. A failure names the line, what was expected and what was seen.
pub(crate) fn check(file: &str, text: &str, told: impl Fn(&str, &str, &str) -> String) {
    let (mut wrong, mut checked) = (Vec::new(), 0);
    let (mut tellers, mut place) = ("", "");
    for (at, line) in text.lines().enumerate() {
        if let Some(line) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
        {
            let end = line
                .find(" of ")
                .or_else(|| line.find(" on "))
                .unwrap_or(line.len());
            (tellers, place) = line.split_at(end);
            continue;
        }
        let is_case = !line.is_empty() && !line.starts_with('#');
        let Some((question, expected)) = line.split_once(" =>").filter(|_| is_case) else {
            assert!(!is_case, "{file}:{}: no case", at + 1);
            continue;
        };
        let (question, expected) = (question.trim().replace("\\n", "\n"), expected.trim());
        let all = tellers
            .split('+')
            .map(|teller| told(place, teller, &question));
        let seen = all.collect::<Vec<_>>().join(" ~ ").replace('\n', "\\n");
        checked += 1;
        if seen.trim() != expected {
            let place = format!("{file}:{}", at + 1);
            wrong.push(format!("{place}: {line}\n  seen {seen}"));
        }
    }
    assert!(checked > 0, "{file} has no cases");
    assert!(
        wrong.is_empty(),
        "{} of {checked} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
