//! The model of a dialogue: it says what the turn has it say, role by role and in that order, and else what the offline
//! reader says. So a scenario writes down only those replies that it is about.

use envelope::Role;
use llm::{BoxFuture, ChatModel, ChatReply, ChatRequest, Error};
use offline_reader::OfflineReader;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use testkit::model::ScriptedModel;

type Said = (Role, Option<String>);

/// The model of one dialogue.
pub(crate) struct Dialogue {
    says: Arc<Mutex<VecDeque<Said>>>,
    scripted: Arc<ScriptedModel>,
    offline: OfflineReader,
}

impl Dialogue {
    pub(crate) fn new() -> Arc<Dialogue> {
        let says: Arc<Mutex<VecDeque<Said>>> = Arc::default();
        let next = says.clone();
        let scripted = ScriptedModel::answering(move |request| {
            taken(&mut next.lock().unwrap(), request.role)
                .flatten()
                .ok_or_else(|| Error::Refused {
                    status: 400,
                    message: "the scenario has it fail".into(),
                })
        });
        Arc::new(Dialogue {
            says,
            scripted,
            offline: OfflineReader::new(),
        })
    }

    /// What the model says from now on. Gives back what it was not asked for.
    pub(crate) fn says(&self, says: &[Said]) -> Vec<Said> {
        let mut left = self.says.lock().unwrap();
        std::mem::replace(&mut *left, says.iter().cloned().collect()).into()
    }

    fn is_scripted(&self, role: Role) -> bool {
        self.says.lock().unwrap().iter().any(|(of, _)| *of == role)
    }
}

/// The first thing said for a role, taken out.
fn taken(says: &mut VecDeque<Said>, role: Role) -> Option<Option<String>> {
    let at = says.iter().position(|(of, _)| *of == role)?;
    says.remove(at).map(|(_, text)| text)
}

impl ChatModel for Dialogue {
    fn name(&self) -> &str {
        self.scripted.name()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>> {
        match self.is_scripted(request.role) {
            true => self.scripted.chat(request),
            false => self.offline.chat(request),
        }
    }
}
