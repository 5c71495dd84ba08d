//! A bound on what a form has in front of its document.
//!
//! What reads forms searches all that it holds for the end of a head each time that more comes, and bounds no head. So it
//! gets no more than [`FRONT_MAX`] bytes until the document is reached, in pieces that it looks at one by one. *Not* here:
//! how large a document may be.

use axum::body::{Body, Bytes};
use futures_util::StreamExt;
use futures_util::stream::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, ready};

/// Bytes of a form before its document: the folder, and the heads of both fields.
pub(super) const FRONT_MAX: usize = 64 * 1024;
/// There is no bound any more.
const REACHED: usize = usize::MAX;

/// How many bytes may still come before the document.
#[derive(Clone)]
pub(super) struct Front(Arc<AtomicUsize>);

impl Front {
    /// Bounds what a body has in front.
    pub(super) fn of(body: Body) -> (Front, Body) {
        let front = Front(Arc::new(AtomicUsize::new(FRONT_MAX)));
        let (bound, mut body) = (front.clone(), body.into_data_stream());
        let (mut rest, mut is_looked_at) = (Bytes::new(), true);
        let bounded = poll_fn(move |cx| {
            let left = bound.left();
            if left == REACHED && !rest.is_empty() {
                return Poll::Ready(Some(Ok(std::mem::take(&mut rest))));
            }
            if left == REACHED {
                return body.poll_next_unpin(cx);
            }
            // The reader takes all that it can have before it looks at any.
            if !std::mem::replace(&mut is_looked_at, true) {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if left == 0 {
                return Poll::Ready(Some(Err(axum::Error::new("too much before the document"))));
            }
            let Some(mut piece) = ready!(body.poll_next_unpin(cx)).transpose()? else {
                return Poll::Ready(None);
            };
            rest = piece.split_off(piece.len().min(left));
            bound.0.store(left - piece.len(), Ordering::Relaxed);
            is_looked_at = false;
            Poll::Ready(Some(Ok(piece)))
        });
        (front, Body::from_stream(bounded))
    }

    /// The document is reached: what follows is bounded by its own size.
    pub(super) fn reached(&self) {
        self.0.store(REACHED, Ordering::Relaxed);
    }

    /// Whether the document was not reached within the bound.
    pub(super) fn is_over(&self) -> bool {
        self.left() == 0
    }

    fn left(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::extract::{FromRequest, Multipart, Request};
    use std::convert::Infallible;

    const HEAD: &str = "--edge\r\nContent-Disposition: form-data; name=\"file\"";

    async fn form(body: Body) -> (Front, Multipart) {
        let (front, body) = Front::of(body);
        let kind = "multipart/form-data; boundary=edge";
        let request = Request::post("/plain").header("content-type", kind);
        let request = request.body(body).expect("a request");
        let form = Multipart::from_request(request, &()).await;
        (front, form.expect("a form"))
    }

    #[tokio::test]
    async fn a_head_without_end_breaks_off_at_the_bound() {
        let taken = Arc::new(AtomicUsize::new(0));
        let counted = taken.clone();
        let head = futures_util::stream::iter([Bytes::from(format!("{HEAD}\r\nX: "))]);
        // All of it is there at once, as far as the reader can tell.
        let long =
            futures_util::stream::repeat(Bytes::from(vec![b'x'; 1_024])).inspect(move |_| {
                counted.fetch_add(1, Ordering::Relaxed);
            });
        let body = head.chain(long.take(120 * 1_024)).map(Ok::<_, Infallible>);
        let (front, mut form) = form(Body::from_stream(body)).await;
        assert!(form.next_field().await.is_err() && front.is_over());
        assert_eq!(taken.load(Ordering::Relaxed), FRONT_MAX / 1_024);
    }

    #[tokio::test]
    async fn a_document_is_as_long_as_it_is() {
        let text = "x".repeat(3 * FRONT_MAX);
        let whole = format!("{HEAD}; filename=\"a.md\"\r\n\r\n{text}\r\n--edge--\r\n");
        // In one piece, and in pieces that end anywhere.
        for size in [whole.len(), 1_000, 7] {
            let pieces: Vec<_> = whole
                .as_bytes()
                .chunks(size)
                .map(Bytes::copy_from_slice)
                .collect();
            let pieces = futures_util::stream::iter(pieces).map(Ok::<_, Infallible>);
            let (front, mut form) = form(Body::from_stream(pieces)).await;
            let field = form.next_field().await.expect("a form").expect("a field");
            front.reached();
            let read = field.text().await.expect("a text");
            assert!(read == text && !front.is_over(), "{size}");
        }
    }
}
