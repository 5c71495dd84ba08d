//! The text that an answer is checked against: the text of the passages that it cites. The facts that mappers made of
//! the passages are *not* used, unless there is nothing else, because a fact that a model invented would support what
//! the model says next.

use envelope::{Citation, DocId, Draft, Passage, Payload, ReadMark, Task, WrongTask};
use std::borrow::Cow;

/// A draft, with the passages of the searches that it was composed from.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pub(crate) draft: Draft,
    passages: Vec<Passage>,
    /// The text of each of its sources, where the draft carries them.
    texts: Vec<String>,
    /// What was read for the draft, so that another round reads on from there.
    pub(crate) read: Vec<ReadMark>,
    /// The best draft before this one, where one was kept, and the texts of its sources.
    kept: Option<(Draft, Vec<String>)>,
}

impl TryFrom<Task> for Evidence {
    type Error = WrongTask;

    fn try_from(task: Task) -> Result<Evidence, WrongTask> {
        let mut read = ReadMark::of_all(&task.evidence);
        let passages = task.evidence.into_iter();
        let passages = passages.flat_map(|fan_out| fan_out.scatter.passages);
        let passages: Vec<Passage> = passages.collect();
        match task.payload {
            Payload::Validator(mut draft) => Ok(Evidence {
                texts: take_texts(&mut draft, &mut read),
                draft,
                kept: task.kept.map(|mut kept| {
                    let texts = take_texts(&mut kept, &mut Vec::new());
                    (kept, texts)
                }),
                passages,
                read,
            }),
            other => Err(WrongTask { role: other.role() }),
        }
    }
}

/// Takes the texts of its sources out of a draft that carries them. What was read for the draft is added to what the
/// records of the searches tell.
fn take_texts(draft: &mut Draft, read: &mut Vec<ReadMark>) -> Vec<String> {
    let Some(carried) = draft.read.take() else {
        return Vec::new();
    };
    read.extend(carried.marks);
    read.sort_unstable();
    read.dedup();
    carried.texts
}

impl Evidence {
    /// The kept draft, with the same passages.
    pub(crate) fn of_kept(&self) -> Option<Evidence> {
        self.kept.clone().map(|(draft, texts)| Evidence {
            draft,
            passages: self.passages.clone(),
            texts,
            read: Vec::new(),
            kept: None,
        })
    }

    /// All that the draft may rest on: the facts that its writer was given, or the texts of its sources. Of a long text the writer
    /// may have been shown the beginning alone.
    pub(crate) fn given(&self) -> Vec<Cow<'_, str>> {
        let draft = &self.draft;
        if !draft.facts.is_empty() {
            let facts = draft.facts.iter();
            return facts.map(|fact| Cow::from(&fact.text)).collect();
        }
        draft.sources.iter().map(|one| self.found(one)).collect()
    }

    /// The texts that the citations of an answer stand for, one for each; for an answer that cites nothing, all texts
    /// that it could have been written from.
    pub(crate) fn texts(&self, citations: &[Citation]) -> Vec<String> {
        let sources = match citations.is_empty() {
            true => &self.draft.sources[..],
            false => citations,
        };
        let texts: Vec<String> = sources
            .iter()
            .map(|cited| format!("{}\n\n{}", cited.title, self.found(cited)))
            .collect();
        match texts.is_empty() {
            true => vec![self.given().join("\n")],
            false => texts,
        }
    }

    /// The passage that a citation stands for: its text as the draft carries it, else as the search found it, else the facts that
    /// were made of it.
    fn found(&self, cited: &Citation) -> Cow<'_, str> {
        let is_it =
            |chunk_id: &str, doc_id: &DocId| chunk_id == cited.chunk_id && *doc_id == cited.doc_id;
        let mut sources = self.draft.sources.iter();
        let source = sources.position(|one| is_it(&one.chunk_id, &one.doc_id));
        if let Some(text) = source.and_then(|at| self.texts.get(at)) {
            return Cow::from(text);
        }
        // Of a document that was only looked at there is no text.
        let mut passages = self.passages.iter().filter(|one| !one.text.is_empty());
        if let Some(passage) = passages.find(|one| is_it(&one.chunk_id, &one.doc_id)) {
            return Cow::from(passage.shown());
        }
        let Some(at) = source else {
            return Cow::default();
        };
        let n = self.draft.sources[at].n;
        let facts = self.draft.facts.iter().filter(|fact| fact.n == n);
        let facts: Vec<&str> = facts.map(|fact| fact.text.as_str()).collect();
        Cow::from(facts.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{DraftReading, Fact, FanOut, Scatter};
    use testkit::model::passage;

    #[test]
    fn what_a_draft_carries_is_as_good_as_the_record_of_the_search() {
        let cited = |n, id: &str| Citation {
            n,
            ..crate::testing::citation(id)
        };
        let read = DraftReading {
            texts: vec!["It begins.".into(), "It ends in May.".into()],
            marks: vec![
                ReadMark::of(&passage("b", "")),
                ReadMark::of(&passage("c", "")),
            ],
        };
        let draft = Draft {
            sources: vec![cited(1, "a"), cited(2, "b")],
            facts: vec![Fact {
                n: 2,
                text: "invented".into(),
            }],
            read: Some(Box::new(read.clone())),
            ..crate::testing::draft("It ends in May [2].")
        };
        let evidence = Evidence::try_from(Task::bare(Payload::Validator(draft))).unwrap();
        let found = ["a", "b", "c"].map(|id| evidence.found(&cited(1, id)).into_owned());
        assert_eq!(found, ["It begins.", "It ends in May.", ""]);
        let mut marks = read.marks;
        marks.sort_unstable();
        assert_eq!(evidence.read, marks);
    }

    #[test]
    fn a_passage_goes_before_what_a_model_made_of_it() {
        let cited = |n, id: &str| Citation {
            n,
            ..crate::testing::citation(id)
        };
        let fact = |n, text: &str| Fact {
            n,
            text: text.into(),
        };
        let draft = Draft {
            sources: vec![cited(1, "a"), cited(2, "b")],
            facts: vec![fact(1, "invented"), fact(2, "It ends."), fact(2, "In May.")],
            ..crate::testing::draft("It ends in May [2].")
        };
        let begins = Passage {
            front: "Of Harrow House 12.".into(),
            ..passage("a", "It begins.")
        };
        let scatter = Scatter {
            passages: vec![begins],
            ..crate::testing::scatter()
        };
        let task = Task {
            payload: Payload::Validator(draft),
            evidence: vec![FanOut {
                hop: 2,
                scatter,
                results: Vec::new(),
            }],
            kept: None,
        };
        let evidence = Evidence::try_from(task).unwrap();
        // Numbers of an answer are not those of its draft.
        let found = ["a", "b", "c"].map(|id| evidence.found(&cited(1, id)).into_owned());
        let shown = "Of Harrow House 12.\n\nIt begins.";
        assert_eq!(found, [shown, "It ends.\nIn May.", ""]);
    }

    #[test]
    fn a_draft_rests_on_its_facts_or_else_on_the_texts_that_it_carries() {
        let carrying = |text: &str| Draft {
            sources: vec![crate::testing::citation("a")],
            read: Some(Box::new(DraftReading {
                texts: vec![text.into()],
                marks: Vec::new(),
            })),
            ..crate::testing::draft("It ends in May [1].")
        };
        let task = |draft: Draft| Task {
            kept: Some(carrying("It begins.")),
            ..Task::bare(Payload::Validator(draft))
        };
        let evidence = Evidence::try_from(task(carrying("It ends in May."))).unwrap();
        assert_eq!(evidence.given(), ["It ends in May."]);
        let kept = evidence.of_kept().expect("the draft before");
        assert_eq!(kept.given(), ["It begins."]);
        let fact = Fact {
            n: 1,
            text: "In May.".into(),
        };
        let of_facts = Draft {
            facts: vec![fact],
            ..carrying("It ends in May.")
        };
        let evidence = Evidence::try_from(task(of_facts)).unwrap();
        assert_eq!(evidence.given(), ["In May."]);
    }
}
