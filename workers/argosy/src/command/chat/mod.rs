//! `argosy chat`: holds a conversation at a prompt.
//!
//! The earlier exchanges are *not* held here. They are in the log of the conversation, so that a later chat can go on
//! with it.

mod prompt;
mod words;

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::command::asking::{ask_and_show, fields, given};
use crate::command::place::{self, Folder, Place, only_default_tenant};
use crate::command::{for_fleet, trace};
use crate::config::Config;
use crate::conversations::{self, ConversationSource, Standing};
use crate::out::{eprintln, notice, println};
use crate::render;
use crate::render::draft::Canvas;
use conversation_log::ConversationKey;
use envelope::{Clarification, ConversationId, Outcome, Terminal, TurnId};
use owo_colors::OwoColorize;
use prompt::{Prompt, Typed};
use serde_json::json;
use std::time::Duration;
use words::{HELP, Word};

/// How long the look at the conversation's state may take.
const LOOK_MAX: Duration = Duration::from_secs(5);

/// A conversation at a prompt.
struct Chat {
    place: Place,
    args: cli::ChatArgs,
    config: Config,
    conversation: ConversationId,
    last: Option<Terminal>,
    /// The question back that the next line answers.
    asked_back: Option<Clarification>,
}

/// Asks each line that is typed, until the input ends.
pub async fn run(args: cli::ChatArgs, config: Config, output: Output) -> Result<(), CliError> {
    if output != Output::Text {
        return Err(CliError::usage("a chat is for people")
            .hint("for scripts there is: argosy ask --conversation ID \"…\" -o json"));
    }
    let is_remote = args.server.is_named(&config)? && args.corpus.is_none();
    only_default_tenant(is_remote, &args.tenant)?;
    let folder = Folder {
        corpus: args.corpus.clone(),
        ..Folder::default()
    };
    let place = Place::open(is_remote, folder, &config, Output::Text).await?;
    let conversation = match &args.conversation {
        Some(conversation) => conversation.clone(),
        None => new_conversation()?,
    };
    let mut prompt = Prompt::new(&config.data_dir.0)?;
    let mut chat = Chat {
        place,
        args,
        config,
        conversation,
        last: None,
        asked_back: None,
    };
    chat.greet();
    if chat.args.conversation.is_some() {
        chat.look().await;
    }
    let said = chat.talk(&mut prompt).await;
    chat.place.close().await;
    said
}

/// An id that nobody can guess.
fn new_conversation() -> Result<ConversationId, CliError> {
    streams::client::new_conversation().map_err(CliError::from)
}

impl Chat {
    fn greet(&self) {
        let id = self.conversation.as_str();
        notice!("{} {}", "conversation".dimmed(), id.dimmed());
        let help = "/help lists what can be said besides questions";
        notice!("{}", help.dimmed());
    }

    async fn talk(&mut self, prompt: &mut Prompt) -> Result<(), CliError> {
        loop {
            let Typed::Line(line) = prompt.next("> ").await? else {
                return Ok(());
            };
            let done = match words::read(&line, self.asked_back.as_ref()) {
                Word::Say(question) => self.say(question).await,
                Word::Trace(turn) => self.trace(turn).await,
                Word::Sources => self.sources(),
                Word::New => self.begin_anew(),
                Word::Fork(turns) => self.fork(turns).await,
                Word::Help => {
                    println!("{HELP}");
                    Ok(())
                }
                Word::Quit => return Ok(()),
                Word::Wrong(why) => Err(CliError::usage(why)),
            };
            // What fails is said, and the conversation goes on.
            if let Err(fail) = done {
                say(&for_fleet(fail, &self.config));
            }
        }
    }

    async fn say(&mut self, question: String) -> Result<(), CliError> {
        let id = streams::client::new_turn();
        let wait = Duration::from_secs(self.args.timeout);
        let tenant = match &self.place {
            Place::Fleet(_) => Some(&self.args.tenant),
            Place::Here(_) => None,
        };
        let mut fields = fields(&self.args.how);
        // Who presses that option gives up the parts of the corpus that this chat is about, this once.
        let asked_back = self.asked_back.as_ref();
        if asked_back.is_some_and(|asked| asked.widens.as_ref() == Some(&question)) {
            fields.remove("buckets");
        }
        fields.extend(given(json!({
            "id": id,
            "conversation": self.conversation,
            "tenant": tenant,
            "groups": self.args.groups,
            "deadline": format!("{}ms", wait.as_millis()),
        })));
        let ask = streams::client::Ask {
            question,
            fields,
            wait: wait + Duration::from_secs(5),
        };
        let kept = self.place.conversation(&self.conversation).await?;
        let asked = self.ask(ask, &id).await;
        if let Some(kept) = kept {
            kept.end().await?;
        }
        let terminal = asked?;
        render::said(&terminal);
        let verdict = match terminal.outcome {
            Outcome::Answered | Outcome::Clarification => {
                self.asked_back = terminal.clarification.clone();
                Ok(())
            }
            // What was asked back is still to be answered.
            _ => render::verdict(&terminal, Output::Text),
        };
        self.last = Some(terminal);
        verdict
    }

    /// Asks a question. Ctrl-C cancels it, and the chat still waits for its end.
    async fn ask(&self, ask: streams::client::Ask, id: &TurnId) -> Result<Terminal, CliError> {
        let canvas = Canvas::new(Output::Text).filter(|_| !self.args.no_draft);
        let asking = ask_and_show(self.place.bus(), ask, Output::Text, canvas);
        tokio::pin!(asking);
        tokio::select! {
            asked = &mut asking => asked,
            _ = tokio::signal::ctrl_c() => {
                streams::client::cancel(self.place.bus(), id).await?;
                asking.await
            }
        }
    }

    async fn trace(&self, turn: Option<TurnId>) -> Result<(), CliError> {
        let last = self.last.as_ref().map(|last| last.turn.clone());
        let turn = turn.or(last).ok_or_else(nothing_yet)?;
        match &self.place {
            Place::Fleet(bus) => trace::once(&**bus, &turn).await,
            Place::Here(_) => match self.last.as_ref().filter(|last| last.turn == turn) {
                Some(last) => {
                    render::trail(&last.trail);
                    Ok(())
                }
                None => Err(CliError::not_found(
                    "without a fleet, only the last turn is known",
                )),
            },
        }
    }

    fn sources(&self) -> Result<(), CliError> {
        let last = self.last.as_ref().ok_or_else(nothing_yet)?;
        render::sources(last);
        Ok(())
    }

    fn source(&self) -> ConversationSource {
        match &self.place {
            Place::Fleet(bus) => ConversationSource::Fleet(bus.clone()),
            Place::Here(_) => ConversationSource::Here(self.config.data_dir.0.clone()),
        }
    }

    fn key(&self) -> Result<ConversationKey, CliError> {
        let is_remote = matches!(self.place, Place::Fleet(_));
        let tenant = place::tenant(is_remote, &self.args.tenant)?;
        Ok(conversations::key_of(&tenant, &self.conversation))
    }

    /// Shows the state of the conversation that the chat goes on with. A user who may ask need not be allowed to read
    /// it.
    async fn look(&mut self) {
        let standing = match self.standing().await {
            Ok(standing) => standing,
            Err(fail) => return say(&for_fleet(fail, &self.config)),
        };
        let said = match &standing {
            None => "nothing was said in it yet".to_owned(),
            Some(standing) if standing.is_erased => {
                "it was erased, and takes no question any more; /new begins another one".to_owned()
            }
            Some(standing) => {
                let ago = render::age(standing.last.until(conversations::now()));
                format!("last used {ago} ago")
            }
        };
        notice!("{}", said.dimmed());
        self.asks_back(standing);
    }

    async fn standing(&self) -> Result<Option<Standing>, CliError> {
        let (source, key) = (self.source(), self.key()?);
        let looked = tokio::time::timeout(LOOK_MAX, source.standing(&key)).await;
        let late = |_| CliError::negative("how the conversation stands could not be read in time");
        Ok(looked.map_err(late)??)
    }

    fn asks_back(&mut self, standing: Option<Standing>) {
        self.asked_back = standing.and_then(|standing| standing.asked_back);
        if let Some(asked) = &self.asked_back {
            render::asked_back(asked);
        }
    }

    /// Goes on in a copy; the conversation itself stays as it is.
    async fn fork(&mut self, turns: Option<usize>) -> Result<(), CliError> {
        let child = new_conversation()?;
        let taken = self.source().fork(&self.key()?, turns, &child).await?;
        self.conversation = child;
        self.last = None;
        self.greet();
        let taken = text::count(taken as u64, "turn");
        notice!("{}", format!("with {taken} of the one before").dimmed());
        let standing = self.standing().await?;
        self.asks_back(standing);
        Ok(())
    }

    fn begin_anew(&mut self) -> Result<(), CliError> {
        self.conversation = new_conversation()?;
        self.last = None;
        self.asked_back = None;
        self.greet();
        Ok(())
    }
}

fn nothing_yet() -> CliError {
    CliError::not_found("nothing was answered yet")
}

fn say(fail: &CliError) {
    eprintln!("{} {}", "error:".red().bold(), fail.message);
    if let Some(hint) = &fail.hint {
        eprintln!("{} {hint}", "hint:".bold());
    }
}
