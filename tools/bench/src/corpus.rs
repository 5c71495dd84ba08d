//! Makes the corpus for the measurement of an index, and its queries.
//!
//! The corpus is either generated or read from a folder. A generated corpus has words with frequencies by Zipf's law,
//! chunks of the usual length, and metadata with few and with many different values. A folder is read and cut into
//! chunks as for indexing; its queries are words that follow each other in a chunk, and its filter is a frequent
//! value of its metadata. There are *no* relevance judgements.

use argosy::cli_error::CliError;
use argosy::render::ProgressLine;
use documents::document::{Document, NumberedLine, bucket_of, doc_id_of};
use documents::record::publish_order;
use envelope::{ChunkRecord, TenantId};
use search::BUILT_IN_FIELDS;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;

/// The number of different words of a made-up corpus, and of words of a chunk.
const VOCABULARY: usize = 200_000;
pub(super) const CHUNK_WORDS: usize = 180;
/// The numbers of words of its sentences, repeated in this order.
const SENTENCE_WORDS: [usize; 7] = [17, 9, 24, 14, 31, 12, 20];
/// The number of words of a query.
const QUERY_WORDS: usize = 8;
/// How many documents go by between two lines of progress.
const TOLD: usize = 1_000;
/// The most different values of metadata that are counted; those met first are.
const VALUES_MAX: usize = 100_000;
/// The seed of the words that are asked for.
const ASKED: u64 = 7;

/// A corpus, with its queries.
pub(super) struct Corpus {
    /// The messages of the corpus, one a line. They are in a file, because the threads of the writer would otherwise
    /// go on working while text is read or made up, in time that is not measured.
    pub(super) messages: File,
    pub(super) documents: usize,
    /// How many files gave no document.
    pub(super) skipped: usize,
    pub(super) chunks: usize,
    /// The mean number of words of a chunk.
    pub(super) words_per_chunk: usize,
    pub(super) queries: Vec<String>,
    /// The filter of filtered searches.
    pub(super) filter: Value,
}

impl Corpus {
    /// Makes up a corpus of documents that have so many pages; a page is about a chunk. Of documents with several
    /// pages, every second query names one by its author and its year, as its path does.
    pub(super) fn made_up(
        pages: usize,
        each: usize,
        queries: usize,
        line: &ProgressLine,
    ) -> Result<Corpus, CliError> {
        let mut out = Out::new()?;
        let mut words = Words::new(1);
        let documents = pages.div_ceil(each);
        for n in 0..documents {
            if n.is_multiple_of(TOLD.div_ceil(each)) {
                line.say(format!("making up text: {n} of {documents} documents"));
            }
            out.add(&publish_order(&document(n, each, &mut words), None))?;
        }
        let mut words = Words::new(ASKED);
        let query = |n: usize| {
            let words: Vec<_> = (0..QUERY_WORDS).map(|_| words.next()).collect();
            match each > 1 && n % 2 == 1 {
                true => format!("{} {} {}", author(n), year(n), words[2..].join(" ")),
                false => words.join(" "),
            }
        };
        Ok(Corpus {
            queries: (0..queries).map(query).collect(),
            filter: json!({"year": {"gte": 2015, "lt": 2020}, "vendor": "vendor 3"}),
            ..out.done(documents, 0)?
        })
    }

    /// Reads the files of a folder.
    pub(super) fn read(
        dir: &Path,
        queries: usize,
        line: &ProgressLine,
    ) -> Result<Corpus, CliError> {
        if !dir.is_dir() {
            return Err(CliError::usage(format!("`{}` is no folder", dir.display())));
        }
        let mut out = Out::new()?;
        let (mut documents, mut skipped) = (0, 0);
        let mut sample = Sample::new(queries);
        let mut values = Values::default();
        for (_, found) in documents::corpus::walk(dir, &TenantId::default_tenant()) {
            let Ok(document) = found else {
                skipped += 1;
                continue;
            };
            if documents % TOLD == 0 {
                line.say(format!("reading: {documents} documents"));
            }
            documents += 1;
            let records = publish_order(&document, None);
            records
                .iter()
                .for_each(|record| sample.look_at(&record.text));
            values.count(&document, records.len());
            out.add(&records)?;
        }
        let corpus = out.done(documents, skipped)?;
        let queries = sample.queries();
        if queries.is_empty() {
            let text = format!("no text could be read in `{}`", dir.display());
            let hint = "`argosy index DIR` names what it skips, and why";
            return Err(CliError::negative(text).hint(hint));
        }
        Ok(Corpus {
            queries,
            filter: values.filter(corpus.chunks),
            ..corpus
        })
    }
}

/// Messages on their way to the file.
struct Out {
    file: BufWriter<File>,
    chunks: usize,
    words: usize,
}

impl Out {
    fn new() -> Result<Out, CliError> {
        Ok(Out {
            file: BufWriter::new(tempfile::tempfile()?),
            chunks: 0,
            words: 0,
        })
    }

    fn add(&mut self, records: &[ChunkRecord]) -> Result<(), CliError> {
        for record in records {
            let message = record.encode();
            let message = message.map_err(|e| CliError::negative(e.to_string()))?;
            self.file.write_all(&message)?;
            self.file.write_all(b"\n")?;
            self.chunks += 1;
            self.words += record.text.split_whitespace().count();
        }
        Ok(())
    }

    /// The finished corpus, still without queries.
    fn done(self, documents: usize, skipped: usize) -> Result<Corpus, CliError> {
        let mut messages = self.file.into_inner().map_err(|e| e.into_error())?;
        messages.rewind()?;
        Ok(Corpus {
            messages,
            documents,
            skipped,
            chunks: self.chunks,
            words_per_chunk: self.words / self.chunks.max(1),
            queries: Vec::new(),
            filter: json!({}),
        })
    }
}

/// A sample in which each text has the same chance to be kept. It is the same on every run.
struct Sample {
    random: fastrand::Rng,
    seen: usize,
    wanted: usize,
    queries: Vec<String>,
}

impl Sample {
    fn new(wanted: usize) -> Sample {
        Sample {
            random: fastrand::Rng::with_seed(ASKED),
            seen: 0,
            wanted,
            queries: Vec::with_capacity(wanted),
        }
    }

    fn look_at(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() {
            return;
        }
        self.seen += 1;
        let place = match self.queries.len() < self.wanted {
            true => self.queries.len(),
            false => self.random.usize(..self.seen),
        };
        if place >= self.wanted {
            return;
        }
        let from = self
            .random
            .usize(..=words.len().saturating_sub(QUERY_WORDS));
        let query = words[from..].iter().take(QUERY_WORDS).copied();
        let query = query.collect::<Vec<_>>().join(" ");
        match self.queries.get_mut(place) {
            Some(known) => *known = query,
            None => self.queries.push(query),
        }
    }

    /// As many queries as wanted. A small corpus is asked the same ones again; a corpus without words has none.
    fn queries(self) -> Vec<String> {
        let wanted = self.wanted;
        self.queries.into_iter().cycle().take(wanted).collect()
    }
}

/// The numbers of chunks by the values of their metadata, and by the endings of their files.
#[derive(Default)]
struct Values {
    metadata: BTreeMap<(String, String), (Value, usize)>,
    endings: BTreeMap<String, usize>,
}

impl Values {
    fn count(&mut self, document: &Document, chunks: usize) {
        *self.endings.entry(document.ext.clone()).or_default() += chunks;
        for (field, value) in &document.metadata {
            let is_own = !BUILT_IN_FIELDS.contains(&field.to_lowercase().as_str());
            let is_one = value.is_string() || value.is_number() || value.is_boolean();
            let key = (field.clone(), value.to_string());
            let room = self.metadata.len() < VALUES_MAX || self.metadata.contains_key(&key);
            if is_own && is_one && room {
                let counted = self.metadata.entry(key).or_insert((value.clone(), 0));
                counted.1 += chunks;
            }
        }
    }

    /// The filter on the value that most chunks have, but at most half of them; where there is none, on the most
    /// frequent ending.
    fn filter(self, chunks: usize) -> Value {
        let metadata = self.metadata.into_iter();
        let halves = metadata.filter(|(_, (_, n))| 2 * n <= chunks);
        // Of those that are as frequent, the last by name.
        match halves.max_by_key(|(_, (_, n))| *n) {
            Some(((field, _), (value, _))) => json!({ field: value }),
            None => {
                let ending = self.endings.into_iter().max_by_key(|(_, n)| *n);
                ending.map_or(json!({}), |(ext, _)| json!({ "ext": ext }))
            }
        }
    }
}

/// A document of so many pages.
pub(super) fn document(n: usize, pages: usize, words: &mut Words) -> Document {
    let tenant = TenantId::default_tenant();
    let source = match pages {
        1 => format!("files/{n}.md"),
        _ => format!("files/{}{}_{n}.md", author(n).to_uppercase(), year(n)),
    };
    let page = |number| NumberedLine {
        number,
        page: (pages > 1).then_some(number),
        text: sentences((0..CHUNK_WORDS).map(|_| words.next())),
    };
    let lines = (1..).take(pages).map(page).collect();
    Document {
        bucket: bucket_of(&source),
        doc_id: doc_id_of(&tenant, &source),
        tenant,
        title: (0..5).map(|_| words.next()).collect::<Vec<_>>().join(" "),
        ext: "md".into(),
        metadata: [
            (
                "vendor".to_owned(),
                Value::from(format!("vendor {}", n % 50)),
            ),
            // Every vendor has every year: a filter on both lets 1 in 250 through.
            ("year".to_owned(), Value::from(year(n))),
            ("number".to_owned(), Value::from(format!("N-{n}"))),
        ]
        .into(),
        page_names: Default::default(),
        hash: n.to_string(),
        lines,
        source,
    }
}

fn year(n: usize) -> usize {
    2000 + n / 50 % 25
}

/// Fifty authors, with a report for each year.
fn author(n: usize) -> String {
    let mut words = Words::new((n % 50) as u64 + 100);
    (0..2).map(|_| words.next()).collect()
}

/// Words joined into sentences of the lengths that English prose has.
fn sentences(words: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut ends = SENTENCE_WORDS.iter().cycle().scan(0, |end, length| {
        *end += length;
        Some(*end)
    });
    let (mut begin, mut end) = (0, ends.next());
    for (at, word) in words.enumerate() {
        if end == Some(at) {
            text.push('.');
            (begin, end) = (at, ends.next());
        }
        if at > 0 {
            text.push(' ');
        }
        match at == begin {
            true => text.push_str(&capital(&word)),
            false => text.push_str(&word),
        }
    }
    text.push('.');
    text
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Made-up words in the frequencies of Zipf's law. They are the same on every run.
pub(super) struct Words {
    random: fastrand::Rng,
}

impl Words {
    pub(super) fn new(seed: u64) -> Words {
        Words {
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// The next word. The word of rank r comes with a probability of about 1/r, because the logarithm of its rank is
    /// uniform.
    pub(super) fn next(&mut self) -> String {
        let rank = (VOCABULARY as f64).powf(self.random.f64()) as usize;
        let mut word = String::new();
        let mut rest = rank;
        while rest > 0 || word.is_empty() {
            word.push(char::from(b"bdfgklmnprstvz"[rest % 14]));
            word.push(char::from(b"aeiou"[rest / 14 % 5]));
            rest /= 70;
        }
        word
    }
}

#[cfg(test)]
#[path = "corpus_tests.rs"]
mod tests;
