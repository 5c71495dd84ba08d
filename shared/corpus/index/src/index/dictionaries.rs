//! The dictionaries of each tenant: the names and values in its documents, for linking questions to them.
//!
//! They are made from the heads (first chunks) of documents: once from the whole index, then from the records that the
//! writer takes in, so that a commit never rebuilds them. A value that no document has any more stays until many
//! documents have been replaced and the dictionaries are read anew; a condition on such a value matches nothing. *Not*
//! here: how a question is linked (`linking`).

use super::Index;
use super::word_likeness::TableLikeness;
use crate::Error;
use envelope::{ChunkRecord, Principal, TenantId, access};
use linking::{
    BucketWords, Date, DescribedBucket, Dictionary, FieldValue, LinkedQuestion, NAMED, fiscal,
    names,
};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tantivy::Term;
use tantivy::collector::DocSetCollector;
use text::fold;

/// Most values that are known of all tenants: 44 MiB (docs/retrieval.md). What comes later is found by words alone.
const VALUES_MAX: usize = 150_000;
/// From this share of replaced documents on they are read anew.
const REPLACED_MAX: u64 = 10;
/// Fewer are not worth reading all for.
const REPLACED_MIN: u64 = 1_000;

/// The dictionaries of an index.
#[derive(Debug, Default)]
pub(super) struct Dictionaries {
    /// `None` until the index was read.
    known: RwLock<Option<Known>>,
    pub(super) described: RwLock<Arc<[BucketWords]>>,
    likeness: TableLikeness,
    /// Held by the task that reads the index, so that no other one does so at the same time.
    reading: Mutex<()>,
}

/// What is known of each tenant.
#[derive(Debug, Default)]
struct Known {
    described: Arc<[BucketWords]>,
    of: HashMap<TenantId, Dictionary>,
    values: usize,
    heads: u64,
    replaced: u64,
}

/// The size of the dictionaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DictionarySizes {
    /// Different values.
    pub values: usize,
    /// Whether values were left out because a dictionary was full.
    pub is_full: bool,
}

impl Dictionaries {
    fn known(&self) -> RwLockReadGuard<'_, Option<Known>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn known_mut(&self) -> RwLockWriteGuard<'_, Option<Known>> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn nothing(&self) -> Known {
        let described = &self.described;
        let described = described.read().unwrap_or_else(PoisonError::into_inner);
        Known {
            described: Arc::clone(&described),
            ..Known::default()
        }
    }

    /// How the documents of a tenant write a value of a field, the most of them.
    pub(super) fn form(&self, tenant: &TenantId, field: &str, value: &str) -> Option<String> {
        let known = self.known();
        let dictionary = known.as_ref()?.of.get(tenant)?;
        let key = fold::name_key(value);
        let forms = dictionary.with_key(&key);
        let forms = forms.filter(|value| dictionary.column(value.column).field == field);
        let same = |text: &str| (fold::value_key(text), fold::legal_form(text));
        let forms = forms.filter(|form| same(&form.text) == same(value));
        let most = forms.max_by_key(|value| value.documents)?;
        Some(most.text.to_string())
    }

    /// Takes in the heads of a writer, which has read the index before; returns whether the document may have been
    /// there.
    pub(super) fn take_in(&self, head: &ChunkRecord, was_there: bool) {
        if let Some(known) = &mut *self.known_mut() {
            known.replaced += u64::from(was_there);
            if !head.deleted {
                known.take_in(head);
            }
        }
    }

    /// Empties the dictionaries, as after the index was emptied.
    pub(super) fn clear(&self) {
        *self.known_mut() = Some(self.nothing());
    }

    /// Whether so much may have been replaced that it is worth reading everything again.
    pub(super) fn is_stale(&self) -> bool {
        let stale = |known: &Known| {
            known.replaced >= REPLACED_MIN && known.replaced * REPLACED_MAX >= known.heads
        };
        self.known().as_ref().is_some_and(stale)
    }
}

impl Known {
    fn take_in(&mut self, head: &ChunkRecord) {
        self.heads += 1;
        if !self.of.contains_key(&head.tenant) {
            let mut new = Dictionary::default();
            self.described.iter().for_each(|said| new.describe(said));
            self.of.insert(head.tenant.clone(), new);
        }
        if let Some(dictionary) = self.of.get_mut(&head.tenant) {
            let others = self.values.saturating_sub(dictionary.value_count());
            dictionary.set_room(VALUES_MAX.saturating_sub(others));
            add(dictionary, head);
            self.values = others + dictionary.value_count();
        }
    }
}

fn add(dictionary: &mut Dictionary, head: &ChunkRecord) {
    let bucket = head.bucket.as_str();
    dictionary.bucket(bucket);
    let mut fields = Vec::new();
    let described = head
        .metadata
        .iter()
        .filter(|(field, _)| !access::is_acl(field));
    for (field, value) in described {
        if add_value(dictionary, bucket, field, value) {
            fields.push(field.as_str());
        }
    }
    dictionary.count(bucket, fields);
    if !dictionary.is_described(bucket) {
        dictionary.call(bucket, &head.source);
        for (_, value) in names::of_lines(head.text.lines()) {
            dictionary.add(bucket, NAMED, FieldValue::Text(value));
        }
    }
    let of_field = |(field, value): (&String, &Value)| fiscal::end_in_field(field, value.as_str()?);
    let end = head.metadata.iter().find_map(of_field);
    if let Some(end) = end.or_else(|| fiscal::end_in(&head.text)) {
        for company in head.metadata.values().filter_map(Value::as_str) {
            dictionary.fiscal(company, end);
        }
    }
}

/// Adds what a field says; whether that is anything.
fn add_value(dictionary: &mut Dictionary, bucket: &str, field: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => dictionary.add(bucket, field, FieldValue::Text(text)),
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            dictionary.add(bucket, field, FieldValue::Number(number));
        }
        Value::Array(items) => {
            let mut is_any = false;
            for item in items {
                is_any |= add_value(dictionary, bucket, field, item);
            }
            return is_any;
        }
        Value::Null | Value::Bool(_) | Value::Object(_) => return false,
    }
    true
}

impl Index {
    /// Registers the descriptions that schemas have of buckets and columns. To be called before a writer is made and
    /// before the first question is linked.
    pub fn describe(&self, buckets: Vec<DescribedBucket>) {
        let described = &self.dictionaries.described;
        *described.write().unwrap_or_else(PoisonError::into_inner) =
            buckets.iter().map(BucketWords::from).collect();
        *self.dictionaries.known_mut() = None;
    }

    /// The size of the dictionaries of all tenants.
    pub fn dictionary_sizes(&self) -> DictionarySizes {
        let known = self.dictionaries.known();
        let values = known.as_ref().map_or(0, |known| known.values);
        DictionarySizes {
            values,
            is_full: values >= VALUES_MAX,
        }
    }

    /// Links a principal's question, asked on a given day, to the documents of its tenant. Blocking; the first call
    /// reads the head of every document, unless a writer has done so. Where documents that the principal must not read
    /// had a part in it, the question is linked to nothing.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn link(
        &self,
        principal: &Principal,
        question: &str,
        today: Date,
    ) -> Result<LinkedQuestion, Error> {
        self.read_names()?;
        let known = self.dictionaries.known();
        let dictionary = known
            .as_ref()
            .and_then(|known| known.of.get(&principal.tenant));
        let linked = dictionary
            .map(|known| linking::link_by(question, known, today, &self.dictionaries.likeness));
        drop(known);
        self.told(principal, linked.unwrap_or_default())
    }

    /// Reads the names in the documents of the index, if they are not known.
    pub(super) fn read_names(&self) -> Result<(), Error> {
        let reading = &self.dictionaries.reading;
        let _one_at_a_time = reading.lock().unwrap_or_else(PoisonError::into_inner);
        if self.dictionaries.known().is_some() {
            return Ok(());
        }
        self.read_names_anew()
    }

    /// Reads them again, and keeps the old ones until that is done. To be called by the owner of the writer, or
    /// when there is no writer: documents that are taken in meanwhile would be missed.
    pub(super) fn read_names_anew(&self) -> Result<(), Error> {
        let mut known = self.dictionaries.nothing();
        if !self.is_outdated() {
            let searcher = self.reader.searcher();
            let heads = super::term_query(Term::from_field_u64(self.fields.n, 0));
            let mut addresses = Vec::from_iter(searcher.search(&heads, &DocSetCollector)?);
            addresses.sort_unstable();
            for address in addresses {
                known.take_in(&self.stored(&searcher, address)?);
            }
        }
        *self.dictionaries.known_mut() = Some(known);
        Ok(())
    }
}

#[cfg(test)]
#[path = "dictionaries_tests.rs"]
mod tests;
