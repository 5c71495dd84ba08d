//! The planner's step: it has the model asked, reads the reply and compares the plan with earlier ones. Only this
//! module and the other four on the way to the model (`choosing`, `reviewing`, `acting`, `asking`) have asynchronous
//! code.

use crate::choosing::Choosing;
use crate::corpus_note::CorpusNote;
use crate::fingerprint::Fingerprint;
use crate::follow_up;
use crate::lists::ListLimits;
use crate::options::Options;
use crate::plan::{self, PlanReading, ReadBy};
use crate::planning::{Planning, history};
use crate::prompts::{ACT, BUCKET, FIRST, FOLLOW_UP, REFINE, REVIEW};
use crate::routes;
use crate::trail_line;
use envelope::hop::PlannerExit;
use envelope::{Doubt, Fallback, History, Mode, Plan, PlanRoute, PlanTask, Profile, Role, Usage};
use llm::{ChatModel, ChatReply, EmbeddedPrompt, Prompt, Prompts, SetupError};
use search::{CatalogSource, NoCatalog};
use serde_json::Value;
use stage::{Stage, StepContext, StepOutput};
use std::sync::Arc;

/// The planner.
pub struct Planner {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) first: Prompt,
    pub(crate) bucket: Prompt,
    pub(crate) follow_up: Prompt,
    pub(crate) refine: Prompt,
    pub(crate) review: Prompt,
    pub(crate) act: Prompt,
    pub(crate) options: Options,
    catalog: Arc<dyn CatalogSource>,
}

impl Planner {
    /// Every prompt with which the planner asks its model.
    pub const PROMPTS: [EmbeddedPrompt; 6] = [FIRST, BUCKET, FOLLOW_UP, REFINE, REVIEW, ACT];

    /// Makes a planner that asks `model`. It fails when a prompt or an option is invalid.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        options: Options,
    ) -> Result<Self, SetupError> {
        options.validate()?;
        Ok(Planner {
            model,
            first: prompts.get(&FIRST)?,
            bucket: prompts.get(&BUCKET)?,
            follow_up: prompts.get(&FOLLOW_UP)?,
            refine: prompts.get(&REFINE)?,
            review: prompts.get(&REVIEW)?,
            act: prompts.get(&ACT)?,
            options,
            catalog: Arc::new(NoCatalog),
        })
    }

    /// The planner with a catalog, from which its model is told which buckets the corpus has; those over 16 are left
    /// out.
    pub fn with_catalog(self, catalog: Arc<dyn CatalogSource>) -> Self {
        Planner { catalog, ..self }
    }

    pub(crate) fn limits(&self, cx: &StepContext) -> ListLimits {
        ListLimits::new(cx.case.profile, &self.options)
    }

    fn read_by<'a>(&'a self, cx: &StepContext, corpus: &'a CorpusNote) -> ReadBy<'a> {
        ReadBy {
            options: &self.options,
            limits: self.limits(cx),
            corpus,
        }
    }

    /// Whether the passages of the question are read at once. Those of a later round are mapped, as those before were.
    fn reads_at_once(&self, cx: &StepContext) -> bool {
        let is_first = cx.case.scatters.is_empty();
        let is_agentic = cx.case.mode == Mode::Agentic && cx.case.profile == Profile::Small;
        self.options.read_at_once == Some(true) && is_agentic && is_first
    }

    /// Whether no route has to be chosen for the question. In a dialogue one has: its user can be asked back.
    fn needs_no_model(&self, task: &PlanTask) -> bool {
        matches!(task, PlanTask::First) && self.options.location_buckets.is_empty()
    }

    async fn by_model(
        &self,
        cx: &StepContext,
        planning: Planning,
    ) -> stage::StepResult<PlannerExit> {
        let Planning { task, evidence } = planning;
        if matches!(task, PlanTask::Act { .. }) {
            let catalog = self.catalog.catalog(&cx.header.principal()).await;
            return self.act(cx, &evidence, &catalog).await;
        }
        let mut task = self.routed(task);
        if let Some(limit) = cx.case.budget.spent() {
            let limit = limit.into();
            let done = self.as_it_stands(cx, &task, Fallback::BudgetSpent { limit });
            return Ok(exit(done, cx, &task));
        }
        let catalog = self.catalog.catalog(&cx.header.principal()).await;
        if matches!(task, PlanTask::Review { .. }) {
            return self.review(cx, &task, &evidence, &catalog).await;
        }
        let Choosing {
            mut corpus,
            reply: choice,
            fallbacks,
        } = self.choose(cx, &task, &catalog).await?;
        let mut done = match cx.case.budget.after(&usage_of(&choice)).spent() {
            Some(limit) => {
                let limit = limit.into();
                let done = self.as_it_stands(cx, &task, Fallback::BudgetSpent { limit });
                exit(done, cx, &task)
            }
            None => self.planned_by_model(cx, &mut task, &mut corpus).await?,
        };
        done.fallbacks.splice(0..0, fallbacks);
        Ok(match choice {
            Some(reply) => done.with_model(reply.model, reply.usage),
            None => done,
        })
    }

    async fn planned_by_model(
        &self,
        cx: &StepContext,
        task: &mut PlanTask,
        corpus: &mut CorpusNote,
    ) -> stage::StepResult<PlannerExit> {
        let reply = self.ask(cx, task, corpus).await?;
        let object = plan::fields(&reply.text);
        let by = self.read_by(cx, corpus);
        let task = &*task;
        let done = match history(task) {
            None => exit(self.read(cx, task, &object, by), cx, task),
            Some(history) => self.read_follow_up(cx, task, history, &object, by),
        };
        Ok(done.with_model(reply.model, reply.usage))
    }

    /// The task with a route. Where buckets hold places, a question that is asked alone may be about a place.
    fn routed(&self, task: PlanTask) -> PlanTask {
        let history = History::default();
        match task {
            PlanTask::First if !self.options.location_buckets.is_empty() => {
                PlanTask::FollowUp { history }
            }
            other => other,
        }
    }

    fn read(
        &self,
        cx: &StepContext,
        task: &PlanTask,
        object: &Value,
        by: ReadBy<'_>,
    ) -> StepOutput<Plan> {
        match plan::read(object, cx.case.question.best(), by) {
            Some(reading) => planned(reading, object, by.corpus),
            None => self.as_it_stands(cx, task, Fallback::PlanDefault),
        }
    }

    /// Reads the reply to a follow-up. Without a route that can be read, the question is searched for as it is.
    fn read_follow_up(
        &self,
        cx: &StepContext,
        task: &PlanTask,
        history: &History,
        object: &Value,
        by: ReadBy<'_>,
    ) -> StepOutput<PlannerExit> {
        let question = &cx.case.question;
        let offered = routes::offered(question, history, &self.options);
        let Some(read) = follow_up::read(object, question.best(), history, &offered) else {
            let done = self.as_it_stands(cx, task, Fallback::PlanDefault);
            return exit(done, cx, task);
        };
        if read.route == PlanRoute::AskClarification {
            let decided = trail_line::of_route(&read, history);
            let doubt = Doubt::Unclear {
                query: question.best().to_owned(),
                reason: read.reason,
            };
            return StepOutput::new(PlannerExit::Ask(doubt), decided);
        }
        let asked = read.rewritten.as_deref().unwrap_or(question.best());
        let plain = Plan {
            query: asked.to_owned(),
            ..Plan::default()
        };
        let reading = plan::read(object, asked, by);
        let mut reading = reading.unwrap_or_else(|| PlanReading {
            plan: plan::by_rules(plain),
            fallbacks: Vec::new(),
        });
        if read.route == PlanRoute::LocationSearch {
            reading.plan.filter = reading.plan.filter.and(routes::places(&self.options));
        }
        let mut done = planned(reading, object, by.corpus);
        done.decided = format!("{}; {}", trail_line::of_route(&read, history), done.decided);
        done.out.context = history.question_before().to_owned();
        done.out.rewritten = read.rewritten;
        let chunks = history.evidence.clone();
        done.map(|plan| match read.route {
            PlanRoute::DirectAnswer => PlannerExit::Known { plan, chunks },
            PlanRoute::LocationSearch => PlannerExit::Read(plan),
            PlanRoute::Retrieve | PlanRoute::RewriteThenRetrieve | PlanRoute::AskClarification => {
                PlannerExit::Planned(plan)
            }
        })
    }

    /// A plan of the question as it is, with what rules read in it.
    pub(crate) fn as_it_stands(
        &self,
        cx: &StepContext,
        task: &PlanTask,
        why: Fallback,
    ) -> StepOutput<Plan> {
        let (plain, before) = match history(task) {
            None => (Plan::from_question(&cx.case), String::new()),
            Some(history) => {
                let route = PlanRoute::Retrieve.as_str();
                let before = format!("{}: {route}, ", follow_up::used(history));
                (Plan::after(&cx.case, history), before)
            }
        };
        let plan = plan::by_rules(plain);
        let meaning = trail_line::meaning(&plan);
        let decided = format!("{before}the question as it stands; {meaning}");
        StepOutput::new(plan, decided).with_fallback(why)
    }
}

impl Stage for Planner {
    type In = Planning;
    type Out = PlannerExit;
    const ROLE: Role = Role::Planner;

    async fn run(&self, cx: &StepContext, planning: Planning) -> stage::StepResult<PlannerExit> {
        if !self.reads_at_once(cx) {
            return self.by_model(cx, planning).await;
        }
        if self.needs_no_model(&planning.task) {
            return Ok(by_rules(cx).map(PlannerExit::Read));
        }
        let done = self.by_model(cx, planning).await?;
        Ok(done.map(|exit| match exit {
            PlannerExit::Planned(plan) => PlannerExit::Read(plan),
            other => other,
        }))
    }
}

/// A plan for which no model is asked.
fn by_rules(cx: &StepContext) -> StepOutput<Plan> {
    let plan = plan::by_rules(Plan::from_question(&cx.case));
    let decided = format!("by rules: {}", trail_line::meaning(&plan));
    StepOutput::new(plan, decided)
}

fn usage_of(reply: &Option<ChatReply>) -> Usage {
    reply.as_ref().map_or(Usage::default(), |reply| reply.usage)
}

/// The exit that follows from a plan.
fn exit(done: StepOutput<Plan>, cx: &StepContext, task: &PlanTask) -> StepOutput<PlannerExit> {
    match task {
        PlanTask::First | PlanTask::FollowUp { .. } => done,
        PlanTask::Refine { .. } | PlanTask::Review { .. } | PlanTask::Act { .. } => {
            progress(done, &cx.case.queries)
        }
    }
    .map(PlannerExit::Planned)
}

fn planned(reading: PlanReading, object: &Value, corpus: &CorpusNote) -> StepOutput<Plan> {
    let mut decided = trail_line::of_plan(&reading.plan);
    if corpus.is_chosen(object) {
        decided.push_str(&trail_line::of_buckets(&reading.plan));
    }
    let mut done = StepOutput::new(reading.plan, decided);
    done.fallbacks = reading.fallbacks;
    done
}

/// Tells in the trail what a refined plan looks for. A plan that searches as an earlier round did is no worse for it,
/// because the retriever passes over what was read and reads on.
pub(crate) fn progress(mut done: StepOutput<Plan>, earlier: &[String]) -> StepOutput<Plan> {
    let is_same = Fingerprint::of(&done.out.query).is_among(earlier);
    let search = match is_same {
        true => "the same search, which reads on".to_owned(),
        false => format!(
            "looks for {}",
            trail_line::quoted(std::iter::once(done.out.query.as_str()))
        ),
    };
    done.decided = format!("{search}; {}", done.decided);
    done
}
