//! Tests `argosy catalog`: the buckets, their columns with the descriptions from schemas, and the replies to bad
//! arguments.

use crate::shell::Shell;

#[test]
fn the_command_line_shows_what_there_is() {
    let shell = Shell::new();
    for (source, head) in [
        ("contracts/lease.md", "city: Tarnow\nsigned: 2024-03-05"),
        ("contracts/loan.md", "city: Tarnow\nsigned: 2023-01-31"),
        ("mail/crane.md", "year: 2023"),
    ] {
        let text = format!("---\n{head}\n---\n# A document\n\nThe crane is inspected.\n");
        shell.write(&format!("docs/{source}"), &text);
    }
    shell.write("argosy.toml", "[indexer]\nschemas = \"schema.toml\"\n");
    shell.write(
        "schema.toml",
        "[contracts]\ndescription = \"what was agreed\"\n[contracts.signed]\ntype = \"date\"\n\
        description = \"the day of the last signature\"\n[contracts.sum]\ntype = \"number\"\nunit = \"EUR\"\n",
    );
    let shown = shell.run(&["catalog", "--corpus", "docs"]).exits(0).stdout;
    let wanted = "\
contracts (2 documents)
what was agreed
  city    text          100 %  tarnow 2
  signed  date          100 %  2023-01-31 to 2024-03-05 · 2023-01-31 1, 2024-03-05 1 · the day of the last signature
  sum     number (EUR)    0 %

mail (1 document)
  year  number  100 %  2023 1
";
    assert_eq!(shown, wanted);
    let one = ["catalog", "--corpus", "docs", "--reuse", "--bucket", "mail"];
    let shown = shell
        .run(&[&one[..], &["-o", "json"]].concat())
        .exits(0)
        .json();
    assert_eq!(
        shown["buckets"][0]["columns"][0]["type"], "number",
        "{shown}"
    );
    assert_eq!(shown["buckets"].as_array().unwrap().len(), 1);
    let none = ["catalog", "--corpus", "docs", "--reuse", "--bucket", "none"];
    let ran = shell.run(&none).exits(3);
    assert!(
        ran.stderr.contains("there are `contracts`, `mail`"),
        "{ran:?}"
    );
    let nonsense = ["catalog", "--corpus", "docs", "--values", "51"];
    shell.run(&nonsense).exits(2);
}
