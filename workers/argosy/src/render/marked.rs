//! Renders an answer for people, with a sign behind each sentence that its sources do not support or that they deny.
//! *Not* used for JSON, which lists the sentences.

use envelope::{CheckedSentence, Support, Terminal};
use owo_colors::OwoColorize;

/// The longest quote of a source that is shown, in characters.
const EVIDENCE_CHARS_MAX: usize = 160;

/// The answer, with a yellow `?` behind a sentence that its sources do not say and a red `!` behind one that they
/// deny.
pub(crate) fn answer(t: &Terminal) -> Option<String> {
    let text = t.answer.as_deref()?;
    let mut marked = String::with_capacity(text.len());
    let mut from = 0;
    for one in t.sentences.iter().filter(|one| one.support.is_doubted()) {
        let (start, end) = (one.start as usize, one.end as usize);
        let (Some(before), Some(said)) = (text.get(from..start), text.get(start..end)) else {
            continue;
        };
        marked.push_str(before);
        match one.support {
            Support::Contradicted => marked.push_str(&format!("{} {}", said.red(), "[!]".red())),
            _ => marked.push_str(&format!("{} {}", said.yellow(), "[?]".yellow())),
        }
        from = end;
    }
    marked.push_str(text.get(from..).unwrap_or_default());
    Some(marked)
}

/// Why sentences have signs, a line for each.
pub(crate) fn reasons(t: &Terminal) -> Vec<String> {
    let doubted = t.sentences.iter().filter(|one| one.support.is_doubted());
    doubted.map(reason).collect()
}

/// The judgement of a model, for the last line of the answer; empty where no model judged it.
pub(crate) fn judged(t: &Terminal) -> String {
    let judgement = t.judgement.as_ref();
    judgement.map_or(String::new(), |one| {
        let (grounding, sufficiency) = (one.grounding.as_str(), one.sufficiency.as_str());
        format!("judged {grounding}, {sufficiency} · ")
    })
}

fn reason(of: &CheckedSentence) -> String {
    let source = of.citation.map_or(String::new(), |n| format!(" [{n}]"));
    let evidence = super::one_line(&of.evidence, EVIDENCE_CHARS_MAX);
    let says = match evidence.is_empty() {
        true => String::new(),
        false => format!(": \"{evidence}\""),
    };
    match of.support {
        Support::Contradicted => {
            format!(
                "{} {}; the source{source} says{says}",
                "[!]".red(),
                of.reason
            )
        }
        _ => format!("{} {}; nearest{source}{says}", "[?]".yellow(), of.reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Grounding, Judgement, Outcome, Sufficiency, TenantId, TurnId, UnixMs};

    #[test]
    fn what_is_doubted_has_a_sign_and_a_reason() {
        let id = TurnId::new("t").unwrap();
        let tenant = TenantId::default_tenant();
        let mut t = Terminal::bare(id, tenant, Outcome::Answered, UnixMs(0));
        let text = "It ends in May [1]. It is green [1]. Ask.";
        t.answer = Some(text.into());
        let sentence = |said: &str, support, reason: &str| {
            let start = text.find(said).unwrap();
            CheckedSentence {
                start: start as u32,
                end: (start + said.len()) as u32,
                support,
                score: 0.5,
                reason: reason.into(),
                citation: Some(1),
                evidence: "It ends in June.".into(),
            }
        };
        t.sentences = vec![
            sentence("It ends in May [1].", Support::Contradicted, "date: May"),
            sentence("It is green [1].", Support::Unsupported, "words: green"),
            sentence("Ask.", Support::NoClaim, ""),
        ];
        let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
        assert_eq!(
            plain(&answer(&t).unwrap()),
            "It ends in May [1]. [!] It is green [1]. [?] Ask."
        );
        let reasons: Vec<String> = reasons(&t).iter().map(|line| plain(line)).collect();
        assert_eq!(
            reasons,
            [
                "[!] date: May; the source [1] says: \"It ends in June.\"",
                "[?] words: green; nearest [1]: \"It ends in June.\""
            ]
        );
        assert_eq!(judged(&t), "");
        t.judgement = Some(Judgement {
            grounding: Grounding::OffTopic,
            sufficiency: Sufficiency::Insufficient,
            reason: String::new(),
        });
        assert_eq!(judged(&t), "judged off_topic, insufficient · ");
        t.sentences[0].end = 9_999;
        assert!(
            plain(&answer(&t).unwrap()).starts_with("It ends in May [1]. It is"),
            "a place that is none has no sign"
        );
    }
}
