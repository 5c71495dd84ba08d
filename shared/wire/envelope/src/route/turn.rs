//! The state of a turn between two steps: what it may still spend, what it remembers, and the next step. *Not* here:
//! which exit leads to which step; that is [`route`](super::route).

use super::{Event, Next, Transition};
use crate::filter::Filter;
use crate::history::History;
use crate::hop::Payload;
use crate::ids::TurnId;
use crate::kept_draft::{DraftScore, KeptDraft};
use crate::limits::HOPS_MAX;
use crate::message::{Case, Header, Mode, Profile, QuestionText, UnixMs};
use crate::payload::{After, Doubt, Passage, Plan, PlanTask, ReduceTask, Scatter, Search, Verdict};
use crate::read_mark::ReadMark;
use crate::role::Role;
use crate::terminal::{
    CLARIFICATION_MS, CLARIFIED, Clarification, Outcome, Problem, Resume, Terminal,
};
use crate::trail::{Fallback, Usage};

pub(super) fn step(payload: impl Into<Payload>) -> Next {
    Next::Step(payload.into())
}

pub(super) fn generate(found: Scatter) -> Next {
    step(ReduceTask::Generate {
        form: found.plan.form,
        passages: found.passages,
        matched: found.matched,
    })
}

/// Tokens that are reserved for reading a passage: four characters each, and as much again for the prompt and the facts.
fn map_tokens(passage: &Passage) -> u64 {
    passage.text.len() as u64 / 2
}

impl Case {
    /// How many of these passages may be read, from the first on, and the limit that says so: what the answer takes is kept.
    fn maps(&self, passages: &[Passage]) -> (usize, &'static str) {
        let calls = self.budget.llm_calls.saturating_sub(self.answer_calls()) as usize;
        let mut tokens = 0;
        let within = passages.iter().take_while(|passage| {
            tokens += map_tokens(passage);
            tokens < self.budget.tokens
        });
        let within = within.count();
        match calls <= within {
            true => (calls, "llm_calls"),
            false => (within, "tokens"),
        }
    }
}

/// A turn on its way to the next step.
pub(super) struct Turn {
    pub(super) header: Header,
    pub(super) case: Case,
    pub(super) fallbacks: Vec<Fallback>,
    now: UnixMs,
}

impl Turn {
    pub(super) fn after(
        header: &Header,
        case: &Case,
        event: &Event,
        usage: &Usage,
        now: UnixMs,
    ) -> Turn {
        let hop = match event {
            Event::Accepted(_) | Event::Resumed(..) | Event::Begun(_) => header.hop,
            Event::Exit(_) | Event::Broken(..) | Event::Unread(_) => header.hop + 1,
        };
        Turn {
            header: Header {
                hop,
                created_at: now,
                ..header.clone()
            },
            case: Case {
                budget: case.budget.after(usage),
                ..case.clone()
            },
            fallbacks: Vec::new(),
            now,
        }
    }

    /// A reply continues the question that it is about. Its own conditions replace those on the same field, and its
    /// own buckets replace those of the question.
    pub(super) fn resumed(&mut self, resumed: Option<(TurnId, Resume)>) {
        let Some((parent, resume)) = resumed else {
            return;
        };
        self.header.parent = Some(parent);
        let reply = self.case.question.original.trim();
        if resume.widens.is_some_and(|widens| widens == reply) {
            // The same question again, of the whole corpus or of what the reply itself asks for.
            self.case.question = QuestionText {
                original: resume.question,
                rewritten: None,
            };
            return;
        }
        let merged = format!("{}{CLARIFIED}{reply}", resume.question);
        self.case.question = QuestionText {
            original: merged.clone(),
            rewritten: Some(merged),
        };
        if self.case.buckets.is_empty() {
            self.case.buckets = resume.buckets;
        }
        let own = std::mem::take(&mut self.case.filter).0;
        let mut kept = resume.filter.0;
        kept.retain(|condition| own.iter().all(|other| other.field != condition.field));
        self.case.filter = Filter(kept.into_iter().chain(own).collect());
    }

    /// Retrieves and makes one model call, since there is no planner.
    pub(super) fn basic_rag(&mut self, history: &History) -> Next {
        let role = Role::Planner;
        self.fallbacks.push(Fallback::BasicRag { role });
        self.search(Plan::after(&self.case, history), After::Generate)
    }

    pub(super) fn search(&mut self, plan: Plan, then: After) -> Next {
        self.look(plan, then, Vec::new())
    }

    /// A search that looks at known chunks instead. The retriever finds out whether they answer the question.
    pub(super) fn look(&mut self, plan: Plan, then: After, fetch: Vec<String>) -> Next {
        let plan = self.planned(plan);
        step(Search { plan, then, fetch })
    }

    /// A plan that is about to be searched with: it is paid for, and every step from here on knows the question as
    /// the plan has it.
    fn planned(&mut self, mut plan: Plan) -> Plan {
        self.case.queries.push(plan.query.clone());
        if let Some(rewritten) = plan.rewritten.take() {
            self.case.question.rewritten = Some(rewritten);
        }
        plan
    }

    /// What follows a search that found something.
    pub(super) fn found(&mut self, found: Scatter) -> Next {
        match found.after {
            After::Generate => generate(found),
            After::Map => self.fan_out(found),
            After::Review => {
                self.case.scatters.push(self.header.hop);
                Next::Scatter(found)
            }
        }
    }

    /// What follows the search of a plan: in a loop a follow-up question is searched for first, and then looked at.
    pub(super) fn after_plan(&self) -> After {
        match self.case.mode {
            Mode::Agentic | Mode::Simple => After::Map,
            Mode::Loop => After::Review,
        }
    }

    /// An action of a loop.
    pub(super) fn act(&mut self, plan: Plan, fetch: Vec<String>, read: Vec<ReadMark>) -> Next {
        self.case.read = read;
        self.look(plan, After::Review, fetch)
    }

    fn fan_out(&mut self, mut found: Scatter) -> Next {
        let (count, limit) = self.case.maps(&found.passages);
        if count == 0 {
            self.spent(limit);
            // Unread passages are no reason to leave out what earlier rounds have read.
            return match self.case.scatters.is_empty() {
                true => generate(found),
                false => self.reduce(),
            };
        }
        if found.passages.len() > count {
            self.spent(limit);
            self.fallbacks.push(Fallback::PassagesTrimmed {
                count: (found.passages.len() - count) as u16,
            });
            found.passages.truncate(count);
        }
        let reserved = Usage {
            calls: found.passages.len() as u32,
            tokens_in: found.passages.iter().map(map_tokens).sum(),
            ..Usage::default()
        };
        self.case.budget = self.case.budget.after(&reserved);
        self.case.scatters.push(self.header.hop);
        Next::Scatter(found)
    }

    /// Composes from the findings of all rounds: nothing better will come.
    pub(super) fn reduce(&mut self) -> Next {
        self.compose(self.case.scatters.clone(), false)
    }

    /// Composes from what fan-outs found: of a loop from the passages, which no mapper has read.
    fn compose(&self, scatters: Vec<u16>, strict: bool) -> Next {
        match self.case.mode {
            Mode::Loop => step(ReduceTask::Read { scatters, strict }),
            Mode::Agentic | Mode::Simple => step(ReduceTask::Gather {
                scatters,
                strict,
                last: true,
                maps: None,
            }),
        }
    }

    /// Begins another round, which reads on where those before it ended.
    pub(super) fn refine(&mut self, why: String, read: Vec<ReadMark>) -> Next {
        if let Some(limit) = self.case.round_refused() {
            self.spent(limit);
            return self.reduce();
        }
        self.next_round(why, read)
    }

    fn next_round(&mut self, why: String, read: Vec<ReadMark>) -> Next {
        self.case.budget.rounds -= 1;
        self.header.round += 1;
        self.case.read = read;
        match self.case.profile {
            Profile::Small => step(PlanTask::Refine { why }),
            Profile::Large => step(PlanTask::Review {
                why,
                scatters: self.case.scatters.clone(),
            }),
        }
    }

    /// Composes from passages that a model has looked at: their scores are no reason for doubt any more.
    pub(super) fn enough(&mut self) -> Next {
        self.case.score_min = 0.0;
        self.reduce()
    }

    /// The draft leaves out what was asked: another search may find it. Where no passages were read one by one (in
    /// mode simple, or after a planner that failed), no step could read the new ones together with the old.
    pub(super) fn insufficient(
        &mut self,
        verdict: Verdict,
        reason: String,
        read: Vec<ReadMark>,
    ) -> Next {
        // A loop has ended, too: its model found what it found enough.
        if self.case.scatters.is_empty() || self.case.mode == Mode::Loop {
            return self.unproven(verdict, reason);
        }
        let has_time = self.header.has_time_for_round(self.now);
        let limit = self.case.round_refused();
        if let Some(limit) = limit.or((!has_time).then_some("time")) {
            self.spent(limit);
            return self.unproven(verdict, reason);
        }
        self.keep(true, &verdict);
        self.next_round(reason, read)
    }

    /// Asks for a stricter draft from the same facts. It needs neither a search nor a new round, but counts as a
    /// retry all the same.
    pub(super) fn stricter(&mut self, verdict: Verdict, from: Vec<u16>, reason: String) -> Next {
        if from.is_empty() {
            return self.unproven(verdict, reason);
        }
        if let Some(limit) = self.case.budget.draft_refused() {
            self.spent(limit);
            return self.unproven(verdict, reason);
        }
        self.keep(false, &verdict);
        self.case.budget.rounds -= 1;
        self.fallbacks.push(Fallback::Stricter);
        self.compose(from, true)
    }

    /// Remembers the draft of the step that has just ended, where no better one is. A validator that gives the verdict of the
    /// kept draft gives it no more confidence than it was kept with, so that it stays where it is.
    fn keep(&mut self, grounded: bool, verdict: &Verdict) {
        let score = DraftScore {
            grounded,
            confidence: verdict.confidence,
        };
        if (self.case.kept).is_none_or(|kept| score.is_better_than(&kept.score)) {
            let hop = self.header.hop - 1;
            self.case.kept = Some(KeptDraft { hop, score });
        }
    }

    /// No better draft will come. In a conversation the user is asked back, once. A user who has just replied, and
    /// a client that cannot reply, get the best draft there is, flagged.
    fn unproven(&mut self, verdict: Verdict, reason: String) -> Next {
        if self.header.may_ask_back() && self.case.mode != Mode::Simple {
            let cited = verdict.citations.into_iter().map(|cited| cited.chunk_id);
            self.case.doubted = cited.collect();
            let query = self.case.question.best().to_owned();
            return step(Doubt::Ungrounded { query, reason });
        }
        self.answered(Verdict {
            low_confidence: true,
            ..verdict
        })
    }

    /// Records that a limit of the budget has ended something that would have gone on.
    pub(super) fn spent(&mut self, limit: &str) {
        let limit = limit.into();
        self.fallbacks.push(Fallback::BudgetSpent { limit });
    }

    pub(super) fn answered(&self, verdict: Verdict) -> Next {
        Next::End(Box::new(Terminal::answered(
            &self.header,
            verdict,
            self.now,
        )))
    }

    pub(super) fn clarified(&self, question: Clarification) -> Next {
        let mut terminal = Terminal::of(&self.header, Outcome::Clarification, self.now);
        let widens = question.widens.clone();
        terminal.clarification = Some(Clarification {
            expires: Some(self.now.plus(CLARIFICATION_MS)),
            ..question
        });
        terminal.resume = Some(Resume {
            question: self.case.question.best().to_owned(),
            buckets: self.case.buckets.clone(),
            filter: self.case.filter.clone(),
            evidence: self.case.doubted.clone(),
            widens,
        });
        Next::End(Box::new(terminal))
    }

    pub(super) fn failed(&self, what: &str, code: &'static str) -> Next {
        let why = format!("the {what} could not be done; see the dead letter of this turn");
        self.end(Problem::new(code, why))
    }

    fn end(&self, problem: Problem) -> Next {
        let terminal = Terminal::of(&self.header, Outcome::Failed, self.now);
        Next::End(Box::new(terminal.because(problem)))
    }

    /// The step as it is published. A turn that exceeds the bound of hops ends here.
    pub(super) fn bounded(self, next: Next) -> Transition {
        let is_over =
            self.header.hop >= HOPS_MAX && matches!(next, Next::Step(_) | Next::Scatter(_));
        let mut next = match is_over {
            true => self.end(Problem::new(
                "hops",
                format!("the turn did not end within {HOPS_MAX} hops"),
            )),
            false => next,
        };
        if let Next::End(terminal) = &mut next {
            terminal.rewritten = self.case.question.rewritten.clone();
            terminal.auto = self.case.auto();
        }
        let role = match &next {
            Next::Step(payload) => payload.role(),
            Next::Scatter(_) => Role::Retriever,
            Next::Part(_) => Role::Mapper,
            Next::End(_) => self.header.role,
        };
        let Turn {
            header,
            mut case,
            fallbacks,
            ..
        } = self;
        // Only the next search skips it; there are many map steps, and they do not need it.
        let searches = matches!(
            &next,
            Next::Step(Payload::Planner(_) | Payload::Retriever(_))
        );
        if !searches {
            case.read.clear();
        }
        Transition {
            header: Header { role, ..header },
            case,
            next,
            fallbacks,
        }
    }
}

#[cfg(test)]
#[path = "turn_tests.rs"]
mod tests;
