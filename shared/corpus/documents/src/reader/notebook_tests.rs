//! Tests of notebooks.

use crate::reader::tests::{body, read};
use serde_json::json;

#[test]
fn text_code_and_what_it_wrote() {
    let many: Vec<String> = (0..60).map(|i| format!("row {i}\n")).collect();
    let book = json!({"nbformat": 4, "metadata": {"kernelspec": {"language": "python"}}, "cells": [
        {"cell_type": "markdown", "source": ["# Wind and load\n", "\n", "The limit is **35 t**. ![p](data:image/png;base64,AAAA)"]},
        {"cell_type": "code", "source": "limit = 35\nprint(limit)", "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["35\n"]},
            {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": ["<Figure size 640x480>"]}},
            {"output_type": "execute_result", "data": {"text/plain": "'north'"}}]},
        {"cell_type": "code", "source": ["run()"], "outputs": [{"output_type": "stream", "text": many}]},
        {"cell_type": "code", "source": "1/0", "outputs": [
            {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["long"]}]},
        {"cell_type": "raw", "source": "As it is."},
        {"cell_type": "code", "source": "", "outputs": []}]});
    let book = read("wind.ipynb", book.to_string().as_bytes()).unwrap();
    assert_eq!(book.title, "Wind and load");
    assert_eq!(book.metadata["language"], "python");
    let found = body(&book);
    assert_eq!(
        found[..11],
        [
            "# Wind and load",
            "The limit is **35 t**. ![p]",
            "```python",
            "limit = 35",
            "print(limit)",
            "```",
            "Output:",
            "```",
            "35",
            "'north'",
            "```"
        ]
    );
    assert!(found.contains(&"row 19") && !found.contains(&"row 20"));
    assert!(found.contains(&"... (40 more lines)"));
    assert!(found.contains(&"ZeroDivisionError: division by zero"));
    assert_eq!(found.last(), Some(&"As it is."));
}

#[test]
fn old_notebooks_and_none() {
    let old = json!({"nbformat": 3, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 2, "source": "Ropes"},
        {"cell_type": "code", "input": "x = 1", "outputs": []}]}]});
    let old = read("old.ipynb", old.to_string().as_bytes()).unwrap();
    assert_eq!(body(&old), ["## Ropes", "```", "x = 1", "```"]);
    assert_eq!(read("a.ipynb", b"{}").unwrap_err().as_str(), "empty");
    assert_eq!(read("a.ipynb", b"{").unwrap_err().as_str(), "broken");
}
