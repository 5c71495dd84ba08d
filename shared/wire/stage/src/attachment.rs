//! A file that a step makes: output that is too long for a message.
//!
//! A stage cannot store anything. It returns its files beside its exit, and the harness stores them before it publishes
//! what follows. The key of a file contains a hash of its bytes, so that a decision always names the file that was made
//! with it. When the same step runs twice and decides differently, the run whose result is not stored cannot replace
//! the file.

use bytes::Bytes;
use envelope::attachment::{FileRef, NameError};
use envelope::{Class, Classify, Header, limits};
use sha2::{Digest, Sha256};

/// A file with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The reference by which the exit names the file.
    pub file: FileRef,
    /// The content of the file.
    pub bytes: Bytes,
}

/// Why a file is refused as an attachment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttachmentError {
    /// The name of the file is not allowed.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The file is too large.
    #[error(
        "file `{name}` of {bytes} bytes is over the limit of {}",
        limits::ATTACHMENT_BYTES_MAX
    )]
    TooLarge {
        /// Its name.
        name: String,
        /// Its size.
        bytes: usize,
    },
}

impl Classify for AttachmentError {
    fn class(&self) -> Class {
        match self {
            AttachmentError::Name(_) => Class::Bug,
            AttachmentError::TooLarge { .. } => Class::TooLarge,
        }
    }
    fn code(&self) -> &'static str {
        match self {
            AttachmentError::Name(_) => "attachment_name",
            AttachmentError::TooLarge { .. } => "attachment_too_large",
        }
    }
}

impl Attachment {
    /// Makes a file of the step of `header`: `name` is the name under which a person would save it, `media_type` is as
    /// in HTTP.
    ///
    /// # Errors
    /// When the name is no plain file name, or there are more than
    /// [`ATTACHMENT_BYTES_MAX`](limits::ATTACHMENT_BYTES_MAX) bytes.
    pub fn new(
        header: &Header,
        name: &str,
        media_type: &str,
        bytes: Bytes,
    ) -> Result<Attachment, AttachmentError> {
        if bytes.len() > limits::ATTACHMENT_BYTES_MAX {
            return Err(AttachmentError::TooLarge {
                name: name.into(),
                bytes: bytes.len(),
            });
        }
        let hash = Sha256::digest(&bytes);
        let hash: [u8; 8] = std::array::from_fn(|i| hash[i]);
        let hash = u64::from_be_bytes(hash);
        let size = bytes.len() as u64;
        Ok(Attachment {
            file: FileRef::new(&header.turn, header.hop, name, media_type, hash, size)?,
            bytes,
        })
    }
}
