//! Reads the lines of a scenario file: a title, fields, documents and turns, each with its line number. *Not* a
//! Markdown parser: a line of any other form is an error.

/// A field, `**Name:** value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) line: usize,
}

/// The contents below a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Section {
    /// `## Document PATH`, and a fenced text.
    Document { path: String, text: String },
    /// `## Turn N`, and fields.
    Turn { line: usize, fields: Vec<Field> },
}

/// A file.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) title: String,
    /// The fields before the first section. Other lines there are prose.
    pub(crate) head: Vec<Field>,
    pub(crate) sections: Vec<Section>,
}

/// A line, and what is wrong with it.
pub(crate) type Wrong = (usize, String);

/// Reads the lines of a file.
pub(crate) fn read(text: &str) -> Result<Lines, Wrong> {
    let mut read = Lines::default();
    let mut lines = (1..).zip(text.lines());
    while let Some((line, text)) = lines.next() {
        let text = text.trim_end();
        if let Some(path) = text.strip_prefix("## Document ") {
            let path = path.trim().trim_matches('`').to_owned();
            let text = fenced(&mut lines).ok_or((line, format!("`{path}` has no fenced text")))?;
            read.sections.push(Section::Document { path, text });
        } else if let Some(number) = text.strip_prefix("## Turn ") {
            let turns = read
                .sections
                .iter()
                .filter(|s| matches!(s, Section::Turn { .. }));
            let next = turns.count() + 1;
            if number.trim() != next.to_string() {
                return Err((line, format!("turn {number}: the next one is turn {next}")));
            }
            let fields = Vec::new();
            read.sections.push(Section::Turn { line, fields });
        } else if text.starts_with("##") {
            return Err((line, "want `## Document PATH` or `## Turn N`".into()));
        } else if let Some(title) = text.strip_prefix("# ") {
            if !read.title.is_empty() {
                return Err((line, "a second title".into()));
            }
            read.title = title.trim().to_owned();
        } else {
            read.take(line, text)?;
        }
    }
    match read.title.is_empty() {
        true => Err((1, "no title: want `# …` first".into())),
        false => Ok(read),
    }
}

impl Lines {
    /// Takes in a line that is no heading.
    fn take(&mut self, line: usize, text: &str) -> Result<(), Wrong> {
        let field = field(line, text)?;
        match (self.sections.last_mut(), field) {
            (None, Some(field)) => self.head.push(field),
            // Prose.
            (None, None) => {}
            (Some(Section::Turn { fields, .. }), Some(field)) => fields.push(field),
            (Some(_), None) if text.is_empty() => {}
            (Some(_), _) => return Err((line, "neither a field of a turn nor a heading".into())),
        }
        Ok(())
    }
}

/// The text between two fences, without the blank lines before the first one.
fn fenced<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>) -> Option<String> {
    let (_, fence) = lines.find(|(_, line)| !line.trim().is_empty())?;
    if !fence.starts_with("```") {
        return None;
    }
    let mut text = String::new();
    for (_, line) in lines {
        if line.trim_end() == "```" {
            return Some(text);
        }
        text.push_str(line);
        text.push('\n');
    }
    None
}

/// The field that a line holds; `None` where the line does not look like a field.
fn field(line: usize, text: &str) -> Result<Option<Field>, Wrong> {
    let Some(rest) = text.strip_prefix("**") else {
        return Ok(None);
    };
    let Some((name, value)) = rest.split_once(":**") else {
        return Err((line, "want a field as `**Name:** value`".into()));
    };
    let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
    match value.is_empty() {
        true => Err((line, format!("`{name}` says nothing"))),
        false => Ok(Some(Field { name, value, line })),
    }
}
