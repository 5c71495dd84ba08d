//! Finds the answer to a draft question: its documents by the naive scan, and its table by adding up. Checks that the
//! answer has the shape that its kind of question needs.

use super::Scene;
use super::draft::Draft;
use super::phrase::Phrase;
use crate::field::{Datum, Field, Shelf};
use crate::gold::{Check, Comparison, Matches};
use crate::path;
use crate::question::{GoldCondition, GoldQuestion, GoldTable, NearMiss, QuestionKind};
use crate::table;
use crate::wording::{Group, Most, Turn};
use serde_json::Value;
use std::collections::BTreeSet;

/// The most documents of a list, and of a list with an exception.
const LIST_MAX: usize = 250;
const EXCEPT_MAX: usize = 250;
/// Most rows of groups.
const ROWS_MAX: usize = 50;

/// The question, if its answer has the shape of its kind.
pub(super) fn answer(scene: &mut Scene<'_>, draft: &Draft) -> Option<GoldQuestion> {
    let nature = draft
        .noun
        .nature
        .map(|nature| Check::eq(Field::Nature, Datum::text(nature)));
    let number = draft
        .number
        .as_ref()
        .map(|number| Check::eq(Field::Number, Datum::text(number)));
    let phrases = draft.phrases.iter().chain(&draft.except).chain(&draft.over);
    let mut checks: Vec<Check> = nature.clone().into_iter().chain(number.clone()).collect();
    checks.extend(phrases.flat_map(|phrase| phrase.checks.clone()));
    if has_two_alike(&checks) {
        return None;
    }
    let needed = needed(draft);
    let matches = whole(scene, draft, &checks, &needed)?;
    let decoys = decoys(scene, draft, &checks, &matches)?;
    let table = table_of(scene, draft, &checks, &matches)?;
    let documents = match &draft.turn {
        Turn::Most(_) => vec![*matches.found.first()?],
        _ => matches.found.clone(),
    };
    let (template, question) = in_words(scene, draft)?;
    let nature = match nature {
        Some(nature) => {
            let nouns = [draft.noun.many, draft.noun.one];
            Some((
                nature,
                nouns.into_iter().find(|noun| question.contains(noun))?,
            ))
        }
        None => None,
    };
    let conditions = conditions(scene, draft, nature, number);
    let side = |phrase: &Phrase| conditions_of(scene, draft.shelf, phrase);
    let sources = |indexes: &[usize]| {
        let sources = indexes.iter().map(|at| scene.records[*at].source.clone());
        sources
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    };
    Some(GoldQuestion {
        id: String::new(),
        kind: draft.kind,
        family: draft.family,
        template,
        question,
        today: draft.today.to_string(),
        bucket: Some(scene.half.words().shelf(draft.shelf).folder.to_owned()),
        conditions,
        parts: draft.sides.iter().map(side).collect(),
        ambiguous: draft.is_ambiguous,
        documents: sources(&documents),
        left_out: sources(&matches.left_out),
        decoys: sources(&decoys),
        table,
    })
}

/// Whether two phrases are about one field, which would be a riddle unless they are the two ends of a range.
fn has_two_alike(checks: &[Check]) -> bool {
    let alike = |a: &Check, b: &Check| {
        let both = |c: Comparison| a.comparison == c || b.comparison == c;
        let is_range =
            !both(Comparison::Eq) && !both(Comparison::Ne) && a.comparison != b.comparison;
        a.field == b.field && !(is_range && a.field.kind() != "text")
    };
    checks
        .iter()
        .enumerate()
        .any(|(at, check)| checks[at + 1..].iter().any(|other| alike(check, other)))
}

/// The further fields that a document has to state for what is done with it.
fn needed(draft: &Draft) -> Vec<Field> {
    let mut needed: Vec<Field> = draft.measure.into_iter().collect();
    if draft.measure.is_some_and(Field::is_money) {
        needed.push(Field::Currency);
    }
    match draft.group {
        Some(Group::By(field)) => needed.push(field),
        Some(_) => needed.push(Field::Date),
        None => {}
    }
    needed
}

/// The records that satisfy all conditions; for a comparison, those of either side. `None` where they do not have the
/// shape of the kind.
fn whole(scene: &Scene<'_>, draft: &Draft, checks: &[Check], needed: &[Field]) -> Option<Matches> {
    let records = scene.records;
    if !draft.sides.is_empty() {
        let mut all = Matches::default();
        for side in &draft.sides {
            let checks: Vec<Check> = checks.iter().chain(&side.checks).cloned().collect();
            if has_two_alike(&checks) {
                return None;
            }
            let one = scene.scan(draft.shelf, &checks, needed);
            let is_one = draft.turn != Turn::Parts || one.found.len() == 1;
            if one.found.is_empty() || !is_one {
                return None;
            }
            all.found.extend(one.found);
            all.left_out.extend(one.left_out);
        }
        let all_found: BTreeSet<usize> = all.found.iter().copied().collect();
        // Two sides that overlap are no two sides.
        return (all_found.len() == all.found.len() && all.found.len() <= EXCEPT_MAX)
            .then_some(all);
    }
    let mut matches = scene.scan(draft.shelf, checks, needed);
    let count = matches.found.len();
    let fits = match draft.kind {
        // One document alone is no list, but where a near-miss is to be told from it.
        QuestionKind::List => (2 - usize::from(draft.family.is_some())..=LIST_MAX).contains(&count),
        QuestionKind::Time => (1..=LIST_MAX).contains(&count),
        QuestionKind::Threshold => {
            (1..=LIST_MAX).contains(&count) && cuts(scene, draft, checks, &draft.over)
        }
        QuestionKind::Except => {
            (1..=EXCEPT_MAX).contains(&count) && cuts(scene, draft, checks, &draft.except)
        }
        QuestionKind::Lookup => count == 1,
        QuestionKind::Extreme => {
            let (most, field) = most(draft)?;
            let best = table::best(records, &matches.found, field, most)?;
            let is_enough = count >= 3;
            matches.found = vec![best];
            is_enough
        }
        QuestionKind::Sum | QuestionKind::Average | QuestionKind::Group => count >= 2,
        _ => count > usize::from(draft.family.is_none()),
    };
    fits.then_some(matches)
}

fn most(draft: &Draft) -> Option<(Most, Field)> {
    match draft.turn {
        Turn::Most(most) => Some((most, draft.measure?)),
        _ => None,
    }
}

/// Whether a phrase excludes any record.
fn cuts(scene: &Scene<'_>, draft: &Draft, checks: &[Check], phrase: &Option<Phrase>) -> bool {
    let Some(phrase) = phrase else {
        return false;
    };
    let rest: Vec<Check> = checks
        .iter()
        .filter(|check| !phrase.checks.contains(check))
        .cloned()
        .collect();
    let count = |checks: &[Check]| scene.scan(draft.shelf, checks, &[]).found.len();
    count(&rest) > count(checks)
}

/// What the other reading of a near-miss finds besides. `None` where it finds nothing, because then it is no
/// near-miss.
fn decoys(
    scene: &Scene<'_>,
    draft: &Draft,
    checks: &[Check],
    matches: &Matches,
) -> Option<Vec<usize>> {
    let Some(family) = draft.family else {
        return Some(Vec::new());
    };
    // That is another column to add up, with the same documents; and an acronym of two means both.
    if family == NearMiss::NetAmount && draft.over.is_none() || draft.is_ambiguous {
        return Some(Vec::new());
    }
    let mut found = BTreeSet::new();
    let none = [Phrase {
        said: String::new(),
        checks: Vec::new(),
    }];
    let sides = if draft.sides.is_empty() {
        &none[..]
    } else {
        &draft.sides[..]
    };
    for side in sides {
        let checks: Vec<Check> = checks.iter().chain(&side.checks).cloned().collect();
        let wrong = scene.misread(family, &checks)?;
        found.extend(scene.scan(draft.shelf, &wrong, &[]).found);
    }
    let right = scene.scan(draft.shelf, checks, &[]).found;
    let is_right =
        |at: &usize| matches.found.contains(at) || draft.sides.is_empty() && right.contains(at);
    let decoys: Vec<usize> = found.into_iter().filter(|at| !is_right(at)).collect();
    (!decoys.is_empty()).then_some(decoys)
}

/// The table of a kind that wants one; the outer `None` where it would not have its shape.
fn table_of(
    scene: &Scene<'_>,
    draft: &Draft,
    checks: &[Check],
    matches: &Matches,
) -> Option<Option<GoldTable>> {
    let records = scene.records;
    let words = scene.half.words().shelf(draft.shelf);
    let column = |field: Field| words.called(field).column;
    let table = match draft.kind {
        QuestionKind::Count => table::count(matches.found.len()),
        QuestionKind::Sum | QuestionKind::Average => {
            let field = draft.measure?;
            let is_mean = draft.kind == QuestionKind::Average;
            table::amounts(records, &matches.found, field, column(field), is_mean)
        }
        QuestionKind::Extreme => {
            let field = draft.measure?;
            table::extreme(&records[*matches.found.first()?], field, column(field))
        }
        QuestionKind::Group => {
            let group = draft.group?;
            let key = match group {
                Group::By(field) => column(field),
                Group::Year => "year",
                Group::Quarter => "quarter",
                Group::Month => "month",
            };
            let measure = draft.measure.map(|field| (field, column(field)));
            table::groups(records, &matches.found, group, key, measure)
        }
        QuestionKind::Compare => {
            if draft.turn == Turn::Parts && !words.has_schema {
                // The documents hold the figures; no column does.
                return Some(None);
            }
            let sides = draft.sides.iter().map(|side| {
                let checks: Vec<Check> = checks.iter().chain(&side.checks).cloned().collect();
                (
                    side.said.as_str(),
                    scene.scan(draft.shelf, &checks, &needed(draft)).found,
                )
            });
            let measure = draft.measure.map(|field| (field, column(field)));
            table::sides(records, sides, measure)
        }
        _ => return Some(None),
    };
    let is_enough = draft.kind != QuestionKind::Group || (2..=ROWS_MAX).contains(&table.rows.len());
    is_enough.then_some(Some(table))
}

/// The pattern of a question, and the question.
fn in_words(scene: &mut Scene<'_>, draft: &Draft) -> Option<(String, String)> {
    let wording = scene.wording();
    let frames = wording.frames(draft.kind, draft.turn)?;
    // Phrases that the pattern has no place for would be conditions that nobody said.
    let fits = |at: &usize| draft.phrases.is_empty() || frames[*at].contains("{which}");
    let fitting: Vec<usize> = (0..frames.len()).filter(fits).collect();
    if fitting.is_empty() {
        return None;
    }
    let at = *scene.dice.pick(&fitting);
    let which: String = draft
        .phrases
        .iter()
        .map(|phrase| format!(" {}", phrase.said))
        .collect();
    let said = |phrase: &Option<Phrase>| {
        phrase
            .as_ref()
            .map(|phrase| phrase.said.clone())
            .unwrap_or_default()
    };
    let side = |at: usize| {
        draft
            .sides
            .get(at)
            .map(|phrase| phrase.said.clone())
            .unwrap_or_default()
    };
    let measures = draft
        .measure
        .map(|field| wording.measures(draft.shelf, field));
    let measure = one_of(scene, &measures.unwrap_or_default());
    if frames[at].contains("{measure}") && measure.is_none() {
        return None;
    }
    let groups = draft.group.map(|group| wording.groups(draft.shelf, group));
    let group = one_of(scene, &groups.unwrap_or_default());
    let question = frames[at]
        .replace("{what}", draft.noun.many)
        .replace("{one}", draft.noun.one)
        .replace("{measure}", measure.unwrap_or_default())
        .replace("{group}", group.unwrap_or_default())
        .replace("{number}", draft.number.as_deref().unwrap_or_default())
        .replace("{except}", &said(&draft.except))
        .replace("{over}", &said(&draft.over))
        .replace("{a}", &side(0))
        .replace("{b}", &side(1))
        .replace("{which}", &which);
    let turn = match draft.turn {
        Turn::Plain => "plain".to_owned(),
        Turn::Numbered => "numbered".to_owned(),
        Turn::Amount => "amount".to_owned(),
        Turn::Parts => "parts".to_owned(),
        Turn::Most(most) => format!("{most:?}").to_lowercase(),
    };
    let template = format!(
        "{}.{}.{turn}.{at}",
        scene.half.as_str(),
        draft.kind.as_str()
    );
    Some((
        template,
        question.split_whitespace().collect::<Vec<_>>().join(" "),
    ))
}

/// One of the names of a thing. Where there is only one, nothing is drawn, so that further names on one side change
/// no question of another.
fn one_of(scene: &mut Scene<'_>, names: &[&'static str]) -> Option<&'static str> {
    match names {
        [] | [_] => names.first().copied(),
        _ => Some(*scene.dice.pick(names)),
    }
}

/// All conditions, except those of the two sides.
fn conditions(
    scene: &Scene<'_>,
    draft: &Draft,
    nature: Option<(Check, &str)>,
    number: Option<Check>,
) -> Vec<GoldCondition> {
    let one = |(check, said): (Check, &str)| Phrase {
        said: said.to_owned(),
        checks: vec![check],
    };
    let nature = nature.map(one);
    let number = number.zip(draft.number.as_deref()).map(one);
    let all = nature
        .iter()
        .chain(&number)
        .chain(&draft.phrases)
        .chain(&draft.except)
        .chain(&draft.over);
    all.flat_map(|phrase| conditions_of(scene, draft.shelf, phrase))
        .collect()
}

fn conditions_of(scene: &Scene<'_>, shelf: Shelf, phrase: &Phrase) -> Vec<GoldCondition> {
    let words = scene.half.words().shelf(shelf);
    let condition = |check: &Check| {
        let values: Vec<Value> = check.values.iter().map(Datum::to_json).collect();
        let forms = check
            .values
            .iter()
            .flat_map(|value| forms(scene, shelf, check.field, value));
        let forms: Vec<String> = forms.collect::<BTreeSet<_>>().into_iter().collect();
        GoldCondition {
            field: words.called(check.field).column.to_owned(),
            op: check.comparison.as_str().to_owned(),
            value: match check.comparison {
                Comparison::In | Comparison::NotIn => Value::Array(values),
                _ => values.into_iter().next().unwrap_or_default(),
            },
            raw: phrase.said.trim().to_owned(),
            forms: if forms.len() > 1 { forms } else { Vec::new() },
        }
    };
    phrase.checks.iter().map(condition).collect()
}

/// The forms of a value in documents.
fn forms(scene: &Scene<'_>, shelf: Shelf, field: Field, value: &Datum) -> Vec<String> {
    match (field, value) {
        (Field::Company, Datum::Text(name)) => scene.company(name).forms(),
        (_, Datum::Text(text)) => {
            let words = scene.half.words().shelf(shelf);
            vec![
                text.clone(),
                path::text_in_path(scene.half, words, field, text),
            ]
        }
        _ => Vec::new(),
    }
}
