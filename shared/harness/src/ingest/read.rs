//! Which document a message is about, or why that cannot be said.

use super::Failure;
use crate::bus::Stored;
use envelope::document::Notice;
use envelope::{Bucket, Class, DocId, Subject};
use stage::{Incoming, Ingest};

/// Which document a message is about.
pub(super) fn read(ingest: &dyn Ingest, message: &Stored) -> Result<Incoming, Failure> {
    let permanent = |code, text: String| Failure::new(Class::Permanent, code, text);
    let Ok(Subject::Document { bucket: named, .. }) = Subject::parse(&message.subject) else {
        let rule = envelope::ids::ID_RULE;
        let text = format!("`{}`: bucket and name want {rule}", message.subject);
        return Err(permanent("bad_subject", text));
    };
    let notice = Notice::read(|name| message.headers.get(name))
        .map_err(|unfit| permanent(unfit.code(), unfit.to_string()))?;
    let (bucket, doc_id) = ingest.place(&notice);
    if bucket != named {
        let source = &notice.source;
        let text = format!(
            "`{source}` belongs to the bucket `{bucket}`, not `{named}`: a bucket is the first folder of a source"
        );
        return Err(permanent("wrong_bucket", text));
    }
    Ok(Incoming {
        notice,
        bucket,
        doc_id,
        sequence: message.sequence,
        stored_at: message.stored_at,
    })
}

/// Where the dead letter of a message goes that does not say which document it is.
pub(super) fn nameless(message: &Stored) -> (Bucket, DocId) {
    let named = match Subject::parse(&message.subject) {
        Ok(Subject::Document { bucket, name }) => Some((bucket, name)),
        _ => None,
    };
    named.unwrap_or_else(|| {
        let id = format!("message-{}", message.sequence);
        (
            Bucket::new("generic").expect("a constant that keeps the rule"),
            DocId::new(id).expect("a word and a number keep the rule"),
        )
    })
}
