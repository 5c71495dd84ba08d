//! Makes the reply to a request for the catalog: the counts of the index, with the descriptions of schemas.
//!
//! The schemas are those of this process (`indexer.schemas`). Without a schema, the type of a column is that of its
//! values.

use envelope::lookup::{CatalogBucket, CatalogColumn, CatalogRequest, ColumnType, CorpusCatalog};
use index::Index;
use indexer::schema::{Column, Schemas, ValueKind};

/// What a tenant's documents are. Blocking.
///
/// # Errors
/// When the index cannot be read.
pub(crate) fn made(
    index: &Index,
    schemas: &Schemas,
    request: &CatalogRequest,
) -> Result<CorpusCatalog, index::Error> {
    let mut catalog = index.catalog(request)?;
    for bucket in &mut catalog.buckets {
        describe(bucket, schemas);
    }
    Ok(catalog)
}

/// Adds what the schema of a bucket says; also the columns that no document has a value of.
fn describe(bucket: &mut CatalogBucket, schemas: &Schemas) {
    let Some(table) = schemas.get(&bucket.bucket) else {
        return;
    };
    bucket.description = table.description.clone();
    bucket.synonyms = table.synonyms.clone();
    let mut without = Vec::new();
    for column in &table.columns {
        let known = bucket.columns.iter_mut().find(|c| c.field == column.name);
        match known {
            Some(known) => tell(known, column),
            // Left out above for want of room, it may have values.
            None if bucket.columns_left_out > 0 => {}
            None => {
                let mut unused = CatalogColumn::new(&column.name);
                tell(&mut unused, column);
                without.push(unused);
            }
        }
    }
    bucket.columns.extend(without);
}

fn tell(known: &mut CatalogColumn, column: &Column) {
    known.kind = kind(column.form.kind);
    known.unit.clone_from(&column.form.unit);
    known.description.clone_from(&column.description);
    known.synonyms.clone_from(&column.synonyms);
}

fn kind(kind: ValueKind) -> ColumnType {
    match kind {
        ValueKind::Text => ColumnType::Text,
        ValueKind::Number => ColumnType::Number,
        ValueKind::Date => ColumnType::Date,
        ValueKind::Bool => ColumnType::Bool,
        ValueKind::List => ColumnType::TextList,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::Bucket;

    #[test]
    fn a_schema_describes_what_was_counted_and_what_no_document_has() {
        let schemas = Schemas::parse(
            "f",
            "[a]\ndescription = \"letters\"\nsynonyms = [\"mail\"]\n[a.sum]\ntype = \"number\"\nunit = \"EUR\"\n\
            description = \"what is paid\"\nsynonyms = [\"spend\"]\n[a.seen]\ntype = \"bool\"\n",
        )
        .unwrap();
        let counted = |field: &str| CatalogColumn {
            documents: 3,
            ..CatalogColumn::new(field)
        };
        let mut bucket = CatalogBucket {
            bucket: Bucket::new("a").unwrap(),
            description: String::new(),
            synonyms: Vec::new(),
            documents: 3,
            columns: vec![counted("sum"), counted("else")],
            columns_left_out: 0,
        };
        describe(&mut bucket, &schemas);
        assert_eq!(
            (bucket.description.as_str(), bucket.synonyms.as_slice()),
            ("letters", &["mail".to_owned()][..])
        );
        assert_eq!(bucket.columns[0].synonyms, ["spend"]);
        let told: Vec<_> = bucket
            .columns
            .iter()
            .map(|c| (c.field.as_str(), c.kind.as_str(), c.documents))
            .collect();
        assert_eq!(
            told,
            [
                ("sum", "number", 3),
                ("else", "text", 3),
                ("seen", "bool", 0)
            ]
        );
        let sum = &bucket.columns[0];
        assert_eq!(
            (sum.unit.as_deref(), sum.description.as_str()),
            (Some("EUR"), "what is paid")
        );

        for kind in [
            ValueKind::Text,
            ValueKind::Number,
            ValueKind::Date,
            ValueKind::Bool,
            ValueKind::List,
        ] {
            assert_eq!(
                super::kind(kind).as_str(),
                kind.as_str(),
                "one word for one thing"
            );
        }
    }
}
