//! Makes the fake server behave like an older Qdrant that gets a request of a newer client. An older server skips the
//! fields that it does not know when it parses the bytes, and refuses a condition that is empty afterwards. The text
//! of the error is that of Qdrant 1.18.2.

use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::{
    Condition, CreateCollection, Filter, quantization_config::Quantization, vectors_config,
};
use tonic::Status;

/// Since when keywords are matched by their beginning, and memory has tiers.
const PREFIXES_AND_TIERS: (u32, u32) = (1, 19);
/// Since when keywords are matched by a part of them.
const SUBSTRINGS: (u32, u32) = (1, 20);

/// Whether all of a filter is known to this version.
pub(super) fn reads(version: &str, filter: &Filter) -> Result<(), Status> {
    let lists = [&filter.must, &filter.should, &filter.must_not];
    let conditions = lists.into_iter().flatten();
    conditions
        .into_iter()
        .try_for_each(|condition| reads_condition(version, condition))
}

fn reads_condition(version: &str, condition: &Condition) -> Result<(), Status> {
    let since = match &condition.condition_one_of {
        Some(ConditionOneOf::Filter(filter)) => return reads(version, filter),
        Some(ConditionOneOf::Nested(nested)) => {
            return nested.filter.iter().try_for_each(|f| reads(version, f));
        }
        Some(ConditionOneOf::Field(field)) => {
            match field.r#match.as_ref().and_then(|m| m.match_value.as_ref()) {
                Some(MatchValue::Prefix(_)) => PREFIXES_AND_TIERS,
                Some(MatchValue::Substring(_)) => SUBSTRINGS,
                _ => return Ok(()),
            }
        }
        _ => return Ok(()),
    };
    match number(version) < since {
        true => Err(Status::invalid_argument("Malformed Match condition")),
        false => Ok(()),
    }
}

/// Takes out of a request what this version skips.
pub(super) fn skip_unknown(version: &str, request: &mut CreateCollection) {
    if number(version) >= PREFIXES_AND_TIERS {
        return;
    }
    let vectors = request.vectors_config.as_mut();
    if let Some(vectors_config::Config::Params(params)) = vectors.and_then(|v| v.config.as_mut()) {
        params.memory = None;
    }
    let bytes = request.quantization_config.as_mut();
    if let Some(Quantization::Scalar(scalar)) = bytes.and_then(|b| b.quantization.as_mut()) {
        scalar.memory = None;
    }
}

/// Major and minor; a version that is none is older than all.
fn number(version: &str) -> (u32, u32) {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}
