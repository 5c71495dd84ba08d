//! The reducer's step: it gathers the parts, applies the gate, builds the prompt, calls the model and finishes the
//! draft. No other module of the crate has asynchronous code.

use crate::acted;
use crate::answer::{self, Answer};
use crate::assess;
use crate::call::{is_hopeless, share};
use crate::draft::{Brief, Origin, composed, listed, no_information};
use crate::evidence::Evidence;
use crate::form;
use crate::gate::{self, Gate};
use crate::gather::{self, Gathered};
use crate::known::Word;
use crate::marks;
use crate::options::Options;
use crate::prompts::{ACTIONS, CAVEAT, GATHER, GENERATE, READ, RIGHT, STRICT};
use crate::pruning::Reading;
use crate::question;
use crate::remarks;
use crate::stitch::stitch;
use envelope::hop::ReducerExit;
use envelope::{
    AnswerForm, Fallback, FanOut, FilterMatch, Mode, Passage, Payload, Profile, ReadMark,
    ReduceTask, Role, Task, Usage, WrongTask,
};
use llm::reply::{without_prompt, without_thoughts};
use llm::{
    Caller, ChatModel, ChatReply, ChatRequest, EmbeddedPrompt, LivePiece, Prompt, PromptCall,
    Prompts, SetupError, StepPromptError,
};
use stage::{Stage, StepContext, StepOutput};
use std::sync::Arc;

/// The reducer.
pub struct Reducer {
    pub(crate) model: Arc<dyn ChatModel>,
    gather: Prompt,
    caveat: Prompt,
    strict: Prompt,
    generate: Prompt,
    read_at_once: Prompt,
    pub(crate) right: Prompt,
    pub(crate) word: Word,
    actions: Prompt,
    options: Options,
}

/// The reducer's input: its task, and the fan-outs that the task names.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduction {
    task: ReduceTask,
    evidence: Vec<FanOut>,
}

impl TryFrom<Task> for Reduction {
    type Error = WrongTask;

    fn try_from(task: Task) -> Result<Self, WrongTask> {
        let evidence = task.evidence;
        match task.payload {
            Payload::Reducer(task) => Ok(Reduction { task, evidence }),
            other => Err(WrongTask { role: other.role() }),
        }
    }
}

/// The result of a call: the reply, or the reason why there is none and waiting would bring none.
type Written<'p> = Result<(PromptCall<'p>, ChatReply), Fallback>;

impl Reducer {
    /// Every prompt with which the reducer asks its model.
    pub const PROMPTS: [EmbeddedPrompt; 7] =
        [GATHER, CAVEAT, STRICT, GENERATE, READ, RIGHT, ACTIONS];

    /// Makes a reducer that asks `model`. It fails when a prompt or an option is invalid.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        options: Options,
    ) -> Result<Self, SetupError> {
        options.validate()?;
        Ok(Reducer {
            model,
            gather: prompts.get(&GATHER)?,
            caveat: prompts.get(&CAVEAT)?,
            strict: prompts.get(&STRICT)?,
            generate: prompts.get(&GENERATE)?,
            read_at_once: prompts.get(&READ)?,
            right: prompts.get(&RIGHT)?,
            word: Word::default(),
            actions: prompts.get(&ACTIONS)?,
            options,
        })
    }

    fn brief_of_facts<'a>(
        &self,
        prompt: Option<&'a Prompt>,
        gathered: Gathered,
        matched: FilterMatch,
        fallbacks: &mut Vec<Fallback>,
    ) -> Brief<'a> {
        let Gathered { found, parts, .. } = gathered;
        let (evidence, count) = Evidence::of_facts(found, &parts, self.options.facts_chars_max);
        if count > 0 {
            fallbacks.push(Fallback::FactsTrimmed { count });
        }
        Brief {
            prompt,
            section: "facts",
            evidence,
            matched,
            ..Brief::default()
        }
    }

    fn brief_of_passages(
        &self,
        read: Vec<Reading>,
        parts: &[String],
        matched: FilterMatch,
        fallbacks: &mut Vec<Fallback>,
    ) -> Brief<'_> {
        let (evidence, count) = Evidence::of_passages(read, parts, self.options.passages_chars_max);
        if count > 0 {
            fallbacks.push(Fallback::PassagesTrimmed { count });
        }
        Brief {
            prompt: Some(&self.generate),
            section: "passages",
            evidence,
            matched,
            ..Brief::default()
        }
    }

    async fn generate(
        &self,
        cx: &StepContext,
        passages: Vec<Passage>,
        matched: FilterMatch,
        form: AnswerForm,
    ) -> stage::StepResult<ReducerExit> {
        let mut fallbacks = Vec::new();
        let read = passages.into_iter().map(Reading::from).collect();
        let mut brief = self.brief_of_passages(read, &[], matched, &mut fallbacks);
        let is_small = cx.case.mode == Mode::Agentic && cx.case.profile == Profile::Small;
        if self.options.assess == Some(true) && is_small {
            brief.prompt = Some(&self.read_at_once);
            brief.is_assessed = true;
        }
        let brief = Brief { form, ..brief };
        self.compose(cx, brief, fallbacks).await
    }

    /// One call over the passages of a loop's searches. The passages stay where they are stored: the draft names
    /// them, and carries none of their text.
    async fn read(
        &self,
        cx: &StepContext,
        scatters: Vec<u16>,
        strict: bool,
        evidence: Vec<FanOut>,
    ) -> stage::StepResult<ReducerExit> {
        let mut fallbacks = Vec::new();
        let newest = evidence.last().map(|newest| &newest.scatter);
        let matched = newest.map_or(FilterMatch::Empty, |newest| newest.matched.clone());
        let form = form::wanted(&evidence);
        let (passages, count) = acted::passages(evidence);
        if count > 0 {
            fallbacks.push(Fallback::PassagesTrimmed { count });
        }
        let read = passages.into_iter().map(Reading::from).collect();
        let brief = self.brief_of_passages(read, &[], matched, &mut fallbacks);
        let brief = match strict {
            true => Brief {
                prompt: Some(&self.strict),
                section: "facts",
                ..brief
            },
            false => brief,
        };
        let brief = Brief {
            scatters,
            is_stored: true,
            strict,
            form,
            ..brief
        };
        self.compose(cx, brief, fallbacks).await
    }

    async fn compose(
        &self,
        cx: &StepContext,
        mut brief: Brief<'_>,
        mut fallbacks: Vec<Fallback>,
    ) -> stage::StepResult<ReducerExit> {
        if brief.evidence.is_empty() {
            let mut done = no_information(brief, "no fact to answer from");
            done.fallbacks.splice(0..0, fallbacks);
            return Ok(done);
        }
        let written = match brief.prompt {
            Some(prompt) => self.ask(cx, prompt, &mut brief, &mut fallbacks).await?,
            None => Err(Fallback::ReduceDefault),
        };
        let mut done = match written {
            Ok((call, reply)) => {
                let assessed = self.assessed(cx, &brief, &reply, &call).await?;
                let done = self.drafted(cx, brief, reply, &call);
                let done = assess::added(done, assessed);
                let done = done.with_prompt(call.prompt.name(), call.prompt.version());
                self.with_remarks(cx, done).await?
            }
            Err(reason) => {
                fallbacks.extend(Some(reason).filter(|r| *r != Fallback::ReduceDefault));
                self.stitched(cx, brief)
            }
        };
        done.fallbacks.splice(0..0, fallbacks);
        Ok(done)
    }

    /// Makes one call and returns its reply. A prompt that is too long is sent again with fewer sources. A failure
    /// that waiting cannot cure, or has not cured for long enough, is no error here: the facts are there, and they
    /// make an answer. Every other failure is left to the harness.
    async fn ask<'p>(
        &self,
        cx: &StepContext,
        prompt: &'p Prompt,
        brief: &mut Brief<'_>,
        fallbacks: &mut Vec<Fallback>,
    ) -> Result<Written<'p>, stage::Error> {
        if let Some(limit) = cx.case.budget.spent() {
            let limit = limit.into();
            return Ok(Err(Fallback::BudgetSpent { limit }));
        }
        let question = question::shown(&cx.case.question, &brief.parts);
        let (mut whole, mut dropped) = (None, 0);
        let written = loop {
            let section = brief.evidence.section();
            let inputs = [("question", question.as_str()), (brief.section, &section)];
            let mut call = self.call(cx, prompt, &inputs)?;
            form::add(&mut call.request.system, brief.form);
            match self.reply(cx, &call.request).await {
                Ok(reply) => break Ok((call, reply)),
                // Ends: each time at least one source less.
                Err(llm::Error::TooLong { limit }) if brief.evidence.sources.len() > 1 => {
                    whole.get_or_insert_with(|| brief.evidence.clone());
                    dropped += brief.evidence.shrink(share(limit, &call.request));
                }
                Err(error) if is_hopeless(&error, cx) => break Err(Fallback::ReduceDefault),
                Err(error) => return Err(error.into()),
            }
        };
        match (&written, whole) {
            // What needs no model has room for all of it.
            (Err(_), Some(whole)) => brief.evidence = whole,
            (Ok(_), Some(_)) => fallbacks.push(Fallback::PassagesTrimmed { count: dropped }),
            (_, None) => {}
        }
        Ok(written)
    }

    /// Makes the call, with or without a listener that hears the draft while it is written.
    async fn reply(
        &self,
        cx: &StepContext,
        request: &ChatRequest,
    ) -> Result<ChatReply, llm::Error> {
        if !cx.live.is_on() {
            return self.model.chat(request).await;
        }
        let listener = |piece: LivePiece<'_>| match piece {
            LivePiece::Expected(time) => cx.live.expect(time),
            LivePiece::Anew => cx.live.anew(),
            LivePiece::Text(text) => cx.live.text(text),
        };
        self.model.chat_live(request, &listener).await
    }

    /// A draft that a model wrote, with the remarks that the model makes beside its answer.
    async fn with_remarks(
        &self,
        cx: &StepContext,
        mut done: StepOutput<ReducerExit>,
    ) -> stage::StepResult<ReducerExit> {
        let ReducerExit::Composed(draft) = &mut done.out else {
            return Ok(done);
        };
        if draft.no_information || draft.stitched {
            return Ok(done);
        }
        done.remarks.contradictions = remarks::contradictions(&mut draft.text, &draft.sources);
        if !self.options.action_items {
            return Ok(done);
        }
        let inputs = [
            ("question", cx.case.question.best()),
            ("answer", &draft.text),
        ];
        let call = self.call(cx, &self.actions, &inputs)?;
        // One call is kept back for who judges the answer.
        let kept = Usage {
            calls: cx.case.answer_calls() - 1,
            ..Usage::default()
        };
        let left = cx.case.budget.after(&done.usage).after(&kept);
        let is_spent = left.spent().is_some();
        let written = match is_spent {
            true => None,
            false => self.model.chat(&call.request).await.ok(),
        };
        // An answer is worth more than a list of what it says: it does not wait for another try.
        let Some(reply) = written else {
            return Ok(done.with_fallback(Fallback::ActionItemsFailed));
        };
        let answer =
            without_prompt(without_thoughts(&reply.text), call.prompt.own_text()).to_owned();
        done.remarks.action_items = remarks::action_items(&answer, &draft.text, &draft.sources);
        let done = done.with_model(reply.model, reply.usage);
        Ok(done.with_prompt(call.prompt.name(), call.prompt.version()))
    }

    pub(crate) fn call<'p>(
        &self,
        cx: &StepContext,
        prompt: &'p Prompt,
        inputs: &[(&str, &str)],
    ) -> Result<PromptCall<'p>, StepPromptError> {
        let options = &self.options;
        let caller = Caller::new(Role::Reducer, cx, options.max_tokens, options.call_timeout);
        caller.call(prompt, inputs, None)
    }

    /// The draft that the model wrote in its reply.
    fn drafted(
        &self,
        cx: &StepContext,
        brief: Brief<'_>,
        reply: ChatReply,
        call: &PromptCall<'_>,
    ) -> StepOutput<ReducerExit> {
        let done = match answer::read(call.answer(&reply)) {
            Answer::Text(text) => {
                let text = marks::normal(&text);
                let (text, count) = match marks::has_mark(&text) {
                    true => (text, 0),
                    false => {
                        let facts = brief.evidence.facts();
                        marks::added(&text, &facts, self.options.cite_overlap_min)
                    }
                };
                let queries = question::unanswered(&brief.parts, &text);
                // A prompt whose draft is assessed asks for no marks: that rules add them is no fallback.
                let is_lacking = count > 0 && !brief.is_assessed;
                let mut done = composed(brief, text, Origin::Model);
                if is_lacking {
                    done.fallbacks.insert(0, Fallback::MarksAdded { count });
                }
                if !queries.is_empty() {
                    done.fallbacks
                        .push(Fallback::SubQueriesUnanswered { queries });
                }
                done
            }
            Answer::NoInformation => no_information(brief, "the facts do not answer"),
            Answer::Nothing => {
                cx.live.anew();
                self.stitched(cx, brief)
            }
        };
        done.with_model(reply.model, reply.usage)
    }

    /// The draft that is made without a model.
    fn stitched(&self, cx: &StepContext, brief: Brief<'_>) -> StepOutput<ReducerExit> {
        let question = cx.case.question.best();
        let text = stitch(question, &brief.evidence.facts(), self.options.stitched_max);
        composed(brief, text, Origin::Facts).with_fallback(Fallback::ReduceDefault)
    }
}

impl Stage for Reducer {
    type In = Reduction;
    type Out = ReducerExit;
    const ROLE: Role = Role::Reducer;

    async fn run(&self, cx: &StepContext, work: Reduction) -> stage::StepResult<ReducerExit> {
        let (scatters, strict, last, asks) = match work.task {
            ReduceTask::Generate {
                passages,
                matched,
                form,
            } => return self.generate(cx, passages, matched, form).await,
            ReduceTask::Table { listing } => return Ok(listed(*listing)),
            ReduceTask::Read { scatters, strict } => {
                return self.read(cx, scatters, strict, work.evidence).await;
            }
            ReduceTask::Gather {
                scatters,
                strict,
                last,
                ..
            } => (scatters, strict, last, true),
            ReduceTask::Stitch { scatters, strict } => (scatters, strict, true, false),
        };
        let mut fallbacks = gather::fallbacks(&work.evidence);
        let newest = work.evidence.last().map(|newest| &newest.scatter);
        let matched = newest.map_or(FilterMatch::Empty, |newest| newest.matched.clone());
        let read = ReadMark::of_all(&work.evidence);
        let form = form::wanted(&work.evidence);
        let gathered = Gathered::of(work.evidence);
        let from_passages = asks && !strict && self.options.input.is_passages(cx.case.profile);
        let shortfall = gathered.shortfall(Gate {
            min_relevant: self.options.min_relevant,
            score_min: cx.case.score_min,
            wants_facts: !from_passages,
        });
        if let Some(why) = &shortfall
            && !last
        {
            match gate::round_refused(cx) {
                None => {
                    let feedback = gathered.feedback(why);
                    return Ok(too_little(feedback, read, fallbacks));
                }
                Some(limit) => fallbacks.push(Fallback::BudgetSpent {
                    limit: limit.into(),
                }),
            }
        }
        let parts = gathered.parts.clone();
        let brief = Brief {
            scatters,
            marks: read,
            strict,
            ..match from_passages && shortfall.is_none() {
                true => self.brief_of_passages(gathered.found, &parts, matched, &mut fallbacks),
                false => {
                    let prompt = match (strict, &shortfall) {
                        (true, _) => &self.strict,
                        (false, Some(_)) => &self.caveat,
                        (false, None) => &self.gather,
                    };
                    let prompt = Some(prompt).filter(|_| asks);
                    self.brief_of_facts(prompt, gathered, matched, &mut fallbacks)
                }
            }
        };
        let brief = Brief {
            parts,
            form,
            ..brief
        };
        if let Some(missing) = shortfall
            && !brief.evidence.is_empty()
        {
            fallbacks.push(Fallback::Caveat { missing });
        }
        self.compose(cx, brief, fallbacks).await
    }
}

fn too_little(
    why: String,
    read: Vec<ReadMark>,
    fallbacks: Vec<Fallback>,
) -> StepOutput<ReducerExit> {
    let decided = format!("too little: {why}");
    let mut done = StepOutput::new(ReducerExit::TooLittle { why, read }, decided);
    done.fallbacks = fallbacks;
    done
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;
