//! The collection: its name, how it is made, and whether an existing one can be used.

use crate::call::permanent;
use crate::{Options, Qdrant, Quantisation, point};
use qdrant_client::qdrant::{
    CollectionConfig, CreateCollection, CreateCollectionBuilder, CreateFieldIndexCollection,
    CreateFieldIndexCollectionBuilder, Distance, FieldType, KeywordIndexParamsBuilder, Memory,
    ScalarQuantizationBuilder, VectorParams, VectorParamsBuilder, vectors_config,
};
use search::Error;
use sha2::{Digest, Sha256};

/// Most characters of the embedder's name in the name of a collection.
const EMBEDDER_CHARS_MAX: usize = 96;

/// The collection of an embedder: `<prefix>.<embedder>.<dims>`. Where the name of the embedder has
/// more than plain characters, a hash of it follows, so that no two embedders meet.
pub(super) fn name(prefix: &str, embedder: &str, dims: usize) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    let kept = embedder.chars().take(EMBEDDER_CHARS_MAX);
    let mut name: String = kept.map(|c| if plain(c) { c } else { '_' }).collect();
    if name != embedder {
        let hash = Sha256::digest(embedder.as_bytes());
        name.push('~');
        name.extend(hash[..4].iter().map(|byte| format!("{byte:02x}")));
    }
    format!("{prefix}.{name}.{dims}")
}

impl Qdrant {
    /// Makes sure that the collection exists with all its indexes, also when several processes begin at once, when one
    /// of them died half-way, or when the collection was deleted. A new collection is empty and has no position.
    ///
    /// # Errors
    /// [`Error::Qdrant`]: the server is away or refuses, or a collection of that name was made for other vectors.
    pub async fn ensure_collection(&self) -> Result<(), Error> {
        if !self.exists().await? {
            let request = creation(&self.collection, self.dims, &self.options);
            let made = self.client.create_collection(request);
            if let Err(error) = self.ask("create collection", made).await
                && !self.exists().await?
            {
                return Err(error);
            }
        }
        let info = self.client.collection_info(&self.collection);
        let info = self.ask("collection info", info).await?;
        let config = info.result.and_then(|info| info.config);
        check(&self.collection, self.dims, config)?;
        for request in indexes(&self.collection) {
            let index = self.client.create_field_index(request);
            self.ask("create index", index).await?;
        }
        Ok(())
    }

    async fn exists(&self) -> Result<bool, Error> {
        let exists = self.client.collection_exists(&self.collection);
        self.ask("collection exists", exists).await
    }
}

/// Where vectors are kept is said twice: servers before 1.19 know only the flags, later ones prefer
/// the tier.
fn creation(name: &str, dims: usize, options: &Options) -> CreateCollection {
    let mut vectors = VectorParamsBuilder::new(dims as u64, Distance::Cosine);
    if options.on_disk {
        vectors = vectors.on_disk(true).memory(Memory::Cold);
    }
    let collection = CreateCollectionBuilder::new(name)
        .vectors_config(vectors)
        .shard_number(options.shards)
        .replication_factor(options.replication_factor);
    let bytes = ScalarQuantizationBuilder::default()
        .always_ram(true)
        .memory(Memory::Pinned);
    let collection = match options.quantisation {
        Quantisation::None => collection,
        Quantisation::Int8 => collection.quantization_config(bytes),
    };
    collection.build()
}

/// One for every key that a filter names.
fn indexes(collection: &str) -> Vec<CreateFieldIndexCollection> {
    let index = |key: String, is_tenant| {
        let params = KeywordIndexParamsBuilder::default().is_tenant(is_tenant);
        CreateFieldIndexCollectionBuilder::new(collection, key, FieldType::Keyword)
            .field_index_params(params)
            .wait(true)
            .build()
    };
    let inner = |list: &str, key: &str| format!("{list}[].{key}");
    let mut indexes = vec![index(point::TENANT.into(), true)];
    let keys = [point::BUCKET, point::DOC, point::VERSION, point::FACTS];
    indexes.extend(keys.map(|key| index(key.into(), false)));
    indexes.push(index(inner(point::TEXTS, point::OF), false));
    indexes.push(index(inner(point::TEXTS, point::V), false));
    indexes.push(index(inner(point::ORDER, point::OF), false));
    let number = inner(point::ORDER, point::V);
    indexes.push(
        CreateFieldIndexCollectionBuilder::new(collection, number, FieldType::Float)
            .wait(true)
            .build(),
    );
    indexes
}

/// Whether the vectors of a collection are ours.
fn check(name: &str, dims: usize, config: Option<CollectionConfig>) -> Result<(), Error> {
    let wanted = format!("want vectors of {dims} numbers and cosine");
    match config.and_then(vectors_of) {
        Some(found) if found.size == dims as u64 && found.distance() == Distance::Cosine => Ok(()),
        Some(found) => Err(permanent(
            "connect",
            format!(
                "collection `{name}` has vectors of {} numbers and {}, {wanted}: delete it, or set \
                 another `collection_prefix`",
                found.size,
                found.distance().as_str_name().to_lowercase()
            ),
        )),
        None => Err(permanent(
            "connect",
            format!(
                "collection `{name}` has named vectors, {wanted}: delete it, or set another \
                 `collection_prefix`"
            ),
        )),
    }
}

fn vectors_of(config: CollectionConfig) -> Option<VectorParams> {
    match config.params?.vectors_config?.config? {
        vectors_config::Config::Params(params) => Some(params),
        vectors_config::Config::ParamsMap(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedder_has_a_collection() {
        assert_eq!(
            name("argosy", "minilm-l6-v2", 384),
            "argosy.minilm-l6-v2.384"
        );
        let odd = name("argosy", "Org/bge:small", 384);
        assert!(odd.starts_with("argosy._rg_bge_small~"), "{odd}");
        assert_ne!(odd, name("argosy", "Org/bge_small", 384));
        assert_ne!(name("a-b", "c", 8), name("a", "b-c", 8));
        assert!(name("argosy", &"x".repeat(500), 384).len() < 128);
    }
}
