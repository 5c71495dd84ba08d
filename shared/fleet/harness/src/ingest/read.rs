//! Finds out which document a message is about, or why the message cannot be used.

use super::Failure;
use bus::StoredMessage;
use envelope::document::Notice;
use envelope::{Bucket, Class, DocId, Edition, Subject, TenantId};
use stage::{Incoming, Ingest};

/// Which document a message is about, for the indexers of an edition.
pub(super) fn read(
    ingest: &dyn Ingest,
    edition: &Edition,
    message: &StoredMessage,
) -> Result<Incoming, Failure> {
    let permanent = |code, text: String| Failure::new(Class::Permanent, code, text);
    let Some((named, _)) = named(message) else {
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
        edition: edition.clone(),
        bucket,
        doc_id,
        sequence: message.sequence,
        stored_at: message.stored_at,
    })
}

/// What the subject of a document message names.
fn named(message: &StoredMessage) -> Option<(Bucket, DocId)> {
    match Subject::parse(&message.subject) {
        Ok(Subject::Document { bucket, name } | Subject::Reindex { bucket, name, .. }) => {
            Some((bucket, name))
        }
        _ => None,
    }
}

/// What stands for a document in the dead letter of a message that does not say which one it is.
pub(super) fn nameless(edition: &Edition, message: &StoredMessage) -> Incoming {
    let (bucket, doc_id) = named(message).unwrap_or_else(|| {
        let id = format!("message-{}", message.sequence);
        (
            Bucket::new(Bucket::GENERIC).expect("a constant that keeps the rule"),
            DocId::new(id).expect("a word and a number keep the rule"),
        )
    });
    Incoming {
        notice: Notice::new(TenantId::default_tenant(), ""),
        edition: edition.clone(),
        bucket,
        doc_id,
        sequence: message.sequence,
        stored_at: message.stored_at,
    }
}
