//! Requests from the account of a tenant: their subject names the tenant, so the body need not, and may not name another.
//!
//! *Not* here: which subjects those are ([`subject`](crate::subject)), and who may publish there, which the accounts of
//! the NATS server decide.

use crate::ids::TenantId;
use crate::question::field;
use crate::refusal::{Refusal, RefusalCode, cut, refuse};
use crate::subject::may_reply_to;
use serde_json::Value;
use std::borrow::Cow;

/// The body of a request with the tenant whose account it came from. A body that is no JSON object is left as it is: its
/// parser says what is wrong.
///
/// # Errors
/// [`RefusalCode::OtherTenant`] if the body names another tenant.
pub fn of_tenant<'a>(body: &'a [u8], tenant: &TenantId) -> Result<Cow<'a, [u8]>, Refusal> {
    let Ok(Value::Object(mut object)) = serde_json::from_slice(body) else {
        return Ok(body.into());
    };
    match field(&object, "tenant") {
        Some(named) if named.as_str() == Some(tenant.as_str()) => return Ok(body.into()),
        Some(named) => {
            let reply = object.get("reply_to").and_then(Value::as_str);
            let reply_to = reply.filter(|reply| may_reply_to(reply)).map(str::to_owned);
            let text = format!(
                "`tenant` is {}, and this account is that of `{tenant}`; leave `tenant` out",
                cut(&named.to_string())
            );
            return refuse(RefusalCode::OtherTenant, text).map_err(|refusal| Refusal {
                reply_to,
                ..refusal
            });
        }
        None => {}
    }
    object.insert("tenant".into(), tenant.as_str().into());
    Ok(Value::Object(object).to_string().into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<String, Refusal> {
        let acme = TenantId::new("acme").unwrap();
        let read = of_tenant(body.as_bytes(), &acme)?;
        Ok(String::from_utf8(read.into_owned()).unwrap())
    }

    #[test]
    fn the_tenant_is_that_of_the_account_and_no_other() {
        for body in ["{}", r#"{"tenant":null}"#, r#"{"tenant":"acme"}"#] {
            assert_eq!(read(body).unwrap(), r#"{"tenant":"acme"}"#, "{body}");
        }
        for body in [
            r#"{"tenant":"bolt","reply_to":"_INBOX.a"}"#,
            r#"{"tenant":"acme","tenant":"bolt","reply_to":"_INBOX.a"}"#,
            r#"{"tenant":"default","reply_to":"_INBOX.a"}"#,
            r#"{"tenant":7,"reply_to":"_INBOX.a"}"#,
        ] {
            let refusal = read(body).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::OtherTenant, "{body}");
            assert_eq!(refusal.reply_to.as_deref(), Some("_INBOX.a"), "{body}");
            assert!(refusal.message.contains("leave `tenant` out"), "{body}");
        }
        for body in ["what?", "[1]", ""] {
            assert_eq!(read(body).unwrap(), body);
        }
    }
}
