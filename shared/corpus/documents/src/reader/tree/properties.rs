//! What a document says of itself: its title, and fields that become metadata.

use super::nodes::Node;
use crate::reader::Properties;
use serde_json::Value;
use text::one_line;

/// Title and fields out of elements of that name. A time is cut to its date, as front matter has dates; who began a
/// text is its author before those who went on.
pub(in crate::reader) fn properties<'t>(elements: impl Iterator<Item = Node<'t>>) -> Properties {
    let (mut title, mut fields) = (None, Vec::new());
    for element in elements {
        let value = one_line(&element.text());
        let name = match element.name() {
            _ if value.is_empty() => continue,
            "title" => {
                title.get_or_insert(value);
                continue;
            }
            "initial-creator" => {
                fields.insert(0, ("author", Value::String(value)));
                continue;
            }
            "creator" => "author",
            "subject" => "subject",
            "keyword" | "keywords" => "keywords",
            "creation-date" | "created" => "created",
            "date" | "modified" => "modified",
            _ => continue,
        };
        let is_time = ["created", "modified"].contains(&name);
        let most = if is_time { 10 } else { value.len() };
        fields.push((name, Value::String(value.chars().take(most).collect())));
    }
    (title, fields)
}
