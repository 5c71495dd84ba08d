//! Converts the descriptions of buckets and columns in schemas into the form that an index takes for linking questions.
//! *Not* for the catalog, in which planners get the descriptions.

use envelope::Bucket;
use indexer::schema::{Schemas, Table};
use linking::{DescribedBucket, DescribedColumn};

/// The descriptions that schemas have of buckets and their columns, for the linking of questions.
pub fn described(schemas: &Schemas) -> Vec<DescribedBucket> {
    let of_table = |(bucket, table): (&Bucket, &Table)| DescribedBucket {
        bucket: bucket.as_str().to_owned(),
        synonyms: table.synonyms.clone(),
        columns: table.columns.iter().map(of_column).collect(),
    };
    schemas.tables().map(of_table).collect()
}

fn of_column(column: &indexer::schema::Column) -> DescribedColumn {
    DescribedColumn {
        field: column.name.clone(),
        description: column.description.clone(),
        synonyms: column.synonyms.clone(),
        labels: column.names_in_documents(),
        unit: column.form.unit.clone().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_their_synonyms_and_the_names_that_documents_use() {
        let schemas = Schemas::parse(
            "f",
            "[bills]\nsynonyms = [\"voucher\"]\n[bills.total]\ntype = \"number\"\nunit = \"EUR\"\nsynonyms = [\"spend\"]\n\
             rules = [{ labels = [\"Amount due\"] }, { from = \"metadata\", keys = [\"sum\"] }]\n",
        );
        let all = described(&schemas.expect("a schema"));
        let [bills] = all.as_slice() else {
            panic!("{all:?}")
        };
        assert_eq!(
            (bills.bucket.as_str(), bills.synonyms.as_slice()),
            ("bills", &["voucher".to_owned()][..])
        );
        let total = &bills.columns[0];
        assert_eq!(
            (total.field.as_str(), total.unit.as_str()),
            ("total", "EUR")
        );
        assert_eq!(total.synonyms, ["spend"]);
        assert_eq!(total.labels, ["amount due", "sum"]);
    }
}
