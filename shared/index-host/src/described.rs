//! The descriptions of columns in schemas, in the form that an index takes them, for linking questions. *Not* for
//! the catalog, which hands them to planners.

use envelope::Bucket;
use index::DescribedColumn;
use indexer::schema::Schemas;

/// What schemas say of their columns, for the linking of questions.
pub fn described(schemas: &Schemas) -> Vec<DescribedColumn> {
    let of_table = |(bucket, table): (&Bucket, &indexer::schema::Table)| {
        let columns = table.columns().iter().map(|column| DescribedColumn {
            bucket: bucket.as_str().to_owned(),
            field: column.name.clone(),
            description: column.description.clone(),
            unit: column.form.unit.clone().unwrap_or_default(),
        });
        columns.collect::<Vec<_>>()
    };
    schemas.tables().flat_map(of_table).collect()
}
