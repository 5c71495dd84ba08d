//! Converts the descriptions of buckets and columns in schemas into the form that an index takes for linking questions.
//! *Not* for the catalog, in which planners get the descriptions.

use envelope::Bucket;
use index::DescribedBucket;
use indexer::schema::{Schemas, Table};
use linking::DescribedColumn;

/// The descriptions that schemas have of buckets and their columns, for the linking of questions.
pub fn described(schemas: &Schemas) -> Vec<DescribedBucket> {
    let of_table = |(bucket, table): (&Bucket, &Table)| DescribedBucket {
        bucket: bucket.as_str().to_owned(),
        synonyms: table.synonyms().to_vec(),
        columns: table.columns().iter().map(of_column).collect(),
    };
    schemas.tables().map(of_table).collect()
}

fn of_column(column: &indexer::schema::Column) -> DescribedColumn {
    // People also call a column as its documents do.
    let names = column.names_in_documents().into_iter();
    DescribedColumn {
        field: column.name.clone(),
        description: column.description.clone(),
        synonyms: column.synonyms.iter().cloned().chain(names).collect(),
        unit: column.form.unit.clone().unwrap_or_default(),
    }
}
