//! The connections of a simulated node: accepted while it is up, refused while it is down.
//!
//! While a node is down it has no listener, so the operating system refuses connections to its port. When it goes
//! down, every open connection is reset, as when a process dies.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Pause before an accept or a bind that failed is tried again.
const AGAIN: Duration = Duration::from_millis(5);

/// When a node is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hours {
    /// There for the first span and gone for the second, from then on, and so on.
    pub(crate) flapping: Option<(Instant, Duration, Duration)>,
    /// Gone until then in any case.
    pub(crate) gone_until: Option<Instant>,
}

impl Hours {
    pub(crate) const ALWAYS: Hours = Hours {
        flapping: None,
        gone_until: None,
    };

    /// Whether it is there, and when that is to be asked again; none when it stays so.
    fn at(self, now: Instant) -> (bool, Option<Instant>) {
        if let Some(until) = self.gone_until.filter(|until| now < *until) {
            return (false, Some(until));
        }
        let Some((from, up, down)) = self.flapping else {
            return (true, None);
        };
        let round = (up + down).max(Duration::from_millis(1));
        let into = now.saturating_duration_since(from);
        let into = Duration::from_nanos((into.as_nanos() % round.as_nanos()) as u64);
        match into < up {
            true => (true, Some(now + (up - into))),
            false => (false, Some(now + (round - into))),
        }
    }
}

/// The listener of a node.
pub(crate) struct Door<F> {
    address: SocketAddr,
    listener: Option<TcpListener>,
    hours: watch::Receiver<Hours>,
    /// The connections that are open; cancelling resets them all.
    open: CancellationToken,
    /// Called when the node goes.
    on_gone: F,
}

impl<F: Fn() + Send + 'static> Door<F> {
    /// A door at a free port of this machine.
    pub(crate) async fn open(hours: watch::Receiver<Hours>, on_gone: F) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        Ok(Door {
            address: listener.local_addr()?,
            listener: Some(listener),
            hours,
            open: CancellationToken::new(),
            on_gone,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until the hours may say something else.
    async fn turned(hours: &mut watch::Receiver<Hours>, at: Option<Instant>) {
        let timer = async {
            match at {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = timer => {}
            changed = hours.changed() => if changed.is_err() {
                // The node is dropped, and this with it.
                std::future::pending::<()>().await;
            },
        }
    }

    fn leave(&mut self) {
        if self.listener.take().is_some() {
            self.open.cancel();
            self.open = CancellationToken::new();
            (self.on_gone)();
        }
    }

    /// One connection, or none when there is something else to look at first.
    async fn one(&mut self) -> Option<TcpStream> {
        let (there, turns) = self.hours.borrow_and_update().at(Instant::now());
        if !there {
            self.leave();
            Self::turned(&mut self.hours, turns).await;
            return None;
        }
        let listener = match &self.listener {
            Some(listener) => listener,
            // The port was ours a moment ago; a process that has taken it meanwhile will release it.
            None => match TcpListener::bind(self.address).await {
                Ok(listener) => self.listener.insert(listener),
                Err(_) => {
                    sleep(AGAIN).await;
                    return None;
                }
            },
        };
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => Some(stream),
                Err(_) => {
                    sleep(AGAIN).await;
                    None
                }
            },
            () = Self::turned(&mut self.hours, turns) => None,
        }
    }
}

impl<F> Drop for Door<F> {
    fn drop(&mut self) {
        self.open.cancel();
    }
}

impl<F: Fn() + Send + 'static> Listener for Door<F> {
    type Io = Line;
    type Addr = Reset;

    async fn accept(&mut self) -> (Line, Reset) {
        loop {
            if let Some(stream) = self.one().await {
                let reset = Reset(self.open.child_token());
                return (Line::new(stream, &reset), reset);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Reset> {
        Ok(Reset(self.open.clone()))
    }
}

/// Resets a connection. Handlers get it where others get the address of the client.
#[derive(Debug, Clone)]
pub(crate) struct Reset(CancellationToken);

impl Reset {
    pub(crate) fn now(&self) {
        self.0.cancel();
    }
}

impl<F: Fn() + Send + 'static> Connected<IncomingStream<'_, Door<F>>> for Reset {
    fn connect_info(stream: IncomingStream<'_, Door<F>>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A connection that can be reset from outside.
pub(crate) struct Line {
    stream: TcpStream,
    reset: Pin<Box<WaitForCancellationFutureOwned>>,
    is_reset: bool,
}

impl Line {
    fn new(stream: TcpStream, reset: &Reset) -> Self {
        let _ = stream.set_nodelay(true);
        Line {
            stream,
            reset: Box::pin(reset.0.clone().cancelled_owned()),
            is_reset: false,
        }
    }

    /// Wakes the reader when the connection is reset: one task always reads.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if !self.is_reset && self.reset.as_mut().poll(context).is_ready() {
            self.is_reset = true;
            // Closing then drops what is unsent and tells the client so, instead of saying goodbye.
            let _ = self.stream.set_zero_linger();
        }
        match self.is_reset {
            true => Err(io::ErrorKind::ConnectionReset.into()),
            false => Ok(()),
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_reset {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // After a reset there is no goodbye either.
        match self.is_reset {
            true => Poll::Ready(Ok(())),
            false => {
                ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
                Poll::Ready(Ok(()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flapping_node_comes_and_goes() {
        let from = Instant::now();
        let ms = Duration::from_millis;
        let hours = Hours {
            flapping: Some((from, ms(100), ms(50))),
            gone_until: None,
        };
        for (after, there, turns) in [
            (0, true, 100),
            (99, true, 100),
            (100, false, 150),
            (149, false, 150),
            (150, true, 250),
            (1_010, false, 1_050),
        ] {
            let (is, at) = hours.at(from + ms(after));
            assert_eq!((is, at), (there, Some(from + ms(turns))), "{after}");
        }
        let gone = Hours {
            gone_until: Some(from + ms(10)),
            ..Hours::ALWAYS
        };
        assert_eq!(gone.at(from), (false, gone.gone_until));
        assert_eq!(gone.at(from + ms(10)), (true, None));
    }
}
