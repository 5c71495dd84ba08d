//! Tests `argosy index` on folders as users have them, and after runs that were interrupted.

use crate::shell::{Ran, Shell, finish, signal};
use argosy::config::Config;
use argosy::local::index_dir;
use index::{Index, VectorSource};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn index(shell: &Shell, more: &[&str]) -> Ran {
    shell.run(&[&["index", "docs"], more].concat())
}

fn counts(summary: &Value) -> (u64, u64, u64) {
    let of = |name: &str| summary[name].as_u64().unwrap();
    (of("indexed"), of("unchanged"), of("deleted"))
}

fn answer(shell: &Shell, question: &str) -> String {
    let ran = shell.run(&["ask", question, "--corpus", "docs", "-o", "json"]);
    assert!([0, 7].contains(&ran.exit), "{ran:?}");
    ran.json()["answer"].as_str().unwrap_or_default().to_owned()
}

/// How many chunks the index of `docs` holds, counted by another process.
pub(crate) fn chunks(shell: &Shell) -> u64 {
    let mut config = Config::default();
    config.data_dir.0 = shell.dir().join(".argosy");
    let dir = index_dir(&config, &shell.dir().join("docs"));
    Index::open(&dir, &VectorSource::None)
        .unwrap()
        .chunk_count()
}

#[test]
fn bad_files_are_named_and_the_rest_is_indexed() {
    let shell = Shell::new();
    shell.write("docs/cat.md", "The cat sat on the mat.\n");
    shell.write("docs/sub/dog.txt", "The dog lay on the rug.\n");
    shell.write("docs/nul.txt", "text\0text");
    shell.write("docs/latin.txt", [0xe4; 64]);
    shell.write("docs/empty.md", "");
    shell.write("docs/blank.html", "<html><body> </body></html>");
    shell.write("docs/image.png", "x");
    shell.write("docs/noname", "x");
    shell.write("docs/huge.txt", vec![b'a'; 16 * 1024 * 1024 + 1]);
    shell.write("docs/.hidden.md", "Not looked at.\n");
    std::os::unix::fs::symlink("/nowhere/at/all", shell.dir().join("docs/broken.md")).unwrap();
    std::os::unix::fs::symlink("..", shell.dir().join("docs/sub/circle")).unwrap();
    let wanted = [
        ("blank.html", "empty"),
        ("broken.md", "unreadable"),
        ("empty.md", "empty"),
        ("huge.txt", "larger than 16 MiB"),
        ("image.png", "unknown extension `png`"),
        ("latin.txt", "binary"),
        ("noname", "unknown extension"),
        ("nul.txt", "binary"),
        ("sub/circle", "circle"),
    ];
    let text = index(&shell, &[]).exits(1);
    assert!(
        text.stdout
            .starts_with("2 documents indexed (2 chunks), 0 unchanged, 0 deleted, 9 skipped\n"),
        "{text:?}"
    );
    assert!(
        text.stderr
            .contains("9 files were skipped; the rest is indexed"),
        "{text:?}"
    );
    let allowed = index(&shell, &["--force", "--skipped-ok"]).exits(0);
    assert!(allowed.stdout.contains("9 skipped\n"), "{allowed:?}");
    for (source, reason) in wanted {
        let line = text
            .stdout
            .lines()
            .find(|l| l.contains(&format!(" {source}: ")));
        assert!(
            line.is_some_and(|l| l.contains(reason)),
            "{source}: {line:?}"
        );
    }
    let summary = index(&shell, &["-o", "json"]).exits(1).json();
    assert_eq!(counts(&summary), (0, 2, 0));
    let skipped: BTreeMap<&str, &str> = summary["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| (s["source"].as_str().unwrap(), s["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(skipped.len(), wanted.len(), "{skipped:?}");
    for (source, reason) in wanted {
        assert!(skipped[source].contains(reason), "{source}: {skipped:?}");
    }
    assert!(answer(&shell, "Where did the cat sit?").contains("on the mat"));
    assert!(answer(&shell, "Where did the dog lie, on the rug?").contains("on the rug"));
    let bad = shell.run(&["index", "docs/cat.md"]).exits(3);
    assert!(bad.stderr.contains("is not a folder"), "{bad:?}");
}

#[test]
fn only_what_changed_is_indexed_again_and_what_is_gone_is_forgotten() {
    let shell = Shell::new();
    shell.write("docs/cat.md", "The cat of the mill is called Orla.\n");
    shell.write("docs/dog.md", "The dog of the harbour is called Brun.\n");
    shell.write("docs/owl.md", "The owl of the tower is called Tysk.\n");
    let run = |more: &[&str]| {
        counts(
            &index(&shell, &[more, &["-o", "json"]].concat())
                .exits(0)
                .json(),
        )
    };
    assert_eq!(run(&[]), (3, 0, 0));
    assert_eq!(run(&[]), (0, 3, 0));
    assert_eq!(run(&["--force", "--patience", "60"]), (3, 0, 0));
    assert_eq!(chunks(&shell), 3, "--force doubles nothing");
    assert!(answer(&shell, "What is the cat of the mill called?").contains("Orla"));

    shell.write("docs/cat.md", "The cat of the mill is called Fenna.\n");
    std::fs::remove_file(shell.dir().join("docs/dog.md")).unwrap();
    shell.write("docs/fox.md", "The fox of the wood is called Rusk.\n");
    assert_eq!(run(&[]), (2, 1, 1));
    let cat = answer(&shell, "What is the cat of the mill called?");
    assert!(cat.contains("Fenna") && !cat.contains("Orla"), "{cat}");
    assert!(!answer(&shell, "What is the dog of the harbour called?").contains("Brun"));
    assert!(answer(&shell, "What is the fox of the wood called?").contains("Rusk"));
    assert!(answer(&shell, "What is the owl of the tower called?").contains("Tysk"));
    // A folder that becomes a file of the same text, and a file that only moves.
    std::fs::rename(
        shell.dir().join("docs/owl.md"),
        shell.dir().join("docs/bird.md"),
    )
    .unwrap();
    assert_eq!(run(&[]), (1, 2, 1));
    assert_eq!(chunks(&shell), 3);
}

#[test]
fn parts_of_a_file_are_documents_of_their_own() {
    let shell = Shell::new();
    let rows = |changed: &str| {
        let lines = (0..200).map(|n| {
            let lot = if n == 150 { changed } else { "plain" };
            format!("{{\"id\": \"box{n}\", \"text\": \"The box{n} holds the {lot} seal.\"}}\n")
        });
        lines.collect::<String>()
    };
    let table = "box,seal\nthe first box,the first seal\n".repeat(70_000);
    shell.write("docs/rows.jsonl", rows("Orla"));
    shell.write("docs/small.csv", "owner,boat\nFenna,Tysk\n");
    shell.write("docs/large.csv", &table);
    let run = |exit| index(&shell, &["-o", "json"]).exits(exit).json();
    let (all, ..) = counts(&run(0));
    assert!(all > 203, "{all}");
    assert_eq!(counts(&run(0)), (0, all, 0));
    assert!(answer(&shell, "Which seal does box150 hold?").contains("Orla"));
    assert!(answer(&shell, "Which boat does Fenna own?").contains("Tysk"));

    // One line changes, one that is no document comes: it is named.
    shell.write("docs/rows.jsonl", rows("Brun") + "no document\n");
    let summary = run(1);
    assert_eq!(counts(&summary), (1, all - 1, 0), "{summary}");
    assert_eq!(summary["skipped"][0]["source"], "rows.jsonl#201");
    assert!(answer(&shell, "Which seal does box150 hold?").contains("Brun"));

    // A file that is cut short has fewer documents; what is small is one again.
    let short: String = rows("Brun")
        .lines()
        .take(151)
        .map(|l| format!("{l}\n"))
        .collect();
    shell.write("docs/rows.jsonl", short);
    shell.write("docs/large.csv", "box,seal\nthe last box,the red seal\n");
    assert_eq!(counts(&run(0)), (1, 152, all - 153));
}

/// A PDF with one page more than the limit; all pages but the first are blank.
fn long_pdf() -> String {
    let said = "BT /F 12 Tf 50 700 Td (The lease ends in 2031.) Tj ET";
    let font =
        "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>";
    let page = "/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800]";
    let count = documents::reader::PDF_PAGES_MAX + 1;
    let kids: String = (5..count + 4).map(|n| format!("{n} 0 R ")).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Count {count} /Kids [3 0 R {kids}] >>"),
        format!("<< {page} {font} /Contents 4 0 R >>"),
        format!("<< /Length {} >>\nstream\n{said}\nendstream", said.len()),
    ];
    objects.resize(count + 3, format!("<< {page} >>"));
    let mut pdf = "%PDF-1.4\n".to_owned();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", pdf.len());
        pdf += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let (at, size) = (pdf.len(), objects.len() + 1);
    pdf + &format!(
        "xref\n0 {size}\n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{at}\n%%EOF\n"
    )
}

#[test]
fn what_was_left_out_of_a_document_is_named() {
    let shell = Shell::new();
    shell.write("docs/long.pdf", long_pdf());
    let summary = index(&shell, &["-o", "json"]).exits(1).json();
    assert_eq!(counts(&summary), (1, 0, 0), "{summary}");
    assert_eq!(summary["skipped"][0]["source"], "long.pdf");
    let reason = summary["skipped"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("read in part: "), "{summary}");

    // It is told again while it is so, and read again where it may be read in another way.
    let again = index(&shell, &["-o", "json"]).exits(1).json();
    assert_eq!(counts(&again), (0, 1, 0), "{again}");
    assert_eq!(again["skipped"], summary["skipped"]);
    let otherwise = ["-o", "json", "--set", "indexer.read_timeout=50s"];
    assert_eq!(
        counts(&index(&shell, &otherwise).exits(1).json()),
        (1, 0, 0)
    );
    assert_eq!(
        counts(&index(&shell, &otherwise).exits(1).json()),
        (0, 1, 0)
    );
}

#[test]
fn a_folder_in_which_nothing_can_be_read_keeps_what_is_indexed_and_says_why() {
    let shell = Shell::new();
    shell.write(
        "docs/rows.jsonl",
        "{\"text\": \"The owl is called Tysk.\"}\n",
    );
    assert_eq!(
        counts(&index(&shell, &["-o", "json"]).exits(0).json()),
        (1, 0, 0)
    );
    shell.write("docs/rows.jsonl", "{\"payload\": 1}\n{\"payload\": 2}\n");
    let summary = index(&shell, &["-o", "json"]).exits(1).json();
    assert_eq!(counts(&summary), (0, 0, 0), "{summary}");
    assert!(answer(&shell, "What is the owl called?").contains("Tysk"));
    shell.write("docs/rows.jsonl", "\n");
    shell.write("docs/rows.odd", "words");
    let told = index(&shell, &[]).exits(1).stderr;
    let file = "\n  skipped rows.odd: unknown extension `odd`";
    assert!(
        told.contains("none was deleted") && told.contains(file),
        "{told}"
    );
}

#[test]
fn ask_brings_the_index_up_to_date_unless_told_otherwise() {
    let shell = Shell::new();
    shell.write("docs/cat.md", "The cat of the mill is called Orla.\n");
    let ask = |more: &[&str]| {
        let question = [
            "ask",
            "What is the cat of the mill called?",
            "--corpus",
            "docs",
        ];
        shell.run(&[&question, more].concat())
    };
    let none = ask(&["--reuse"]).exits(3);
    assert!(
        none.stderr.contains("no index of `docs`") && none.stderr.contains("--reuse"),
        "{none:?}"
    );
    assert!(
        !shell.dir().join(".argosy").exists(),
        "nothing is made for a refusal"
    );
    assert!(ask(&[]).exits(0).stdout.contains("Orla"));
    shell.write("docs/cat.md", "The cat of the mill is called Fenna.\n");
    assert!(ask(&["--reuse"]).exits(0).stdout.contains("Orla"));
    assert!(ask(&[]).exits(0).stdout.contains("Fenna"));
    assert!(ask(&["--force"]).exits(0).stdout.contains("Fenna"));
    assert_eq!(chunks(&shell), 1);
    ask(&["--force", "--reuse"]).exits(2);
}

/// The number of files of the run that is killed: enough for the run to take a while.
const FILES: usize = 400;

#[test]
fn a_run_that_was_killed_is_made_good_by_the_next() {
    let shell = Shell::new();
    for n in 0..FILES {
        let text = format!(
            "# Box {n}\n\nThe box number {n} holds the seal of lot {}.\n",
            n * 7 + 1000
        );
        shell.write(&format!("docs/part{}/box{n:03}.md", n % 7), text);
    }
    let args = ["index", "docs", "-o", "json"];
    let mut killed = 0;
    for delay_ms in [20, 60, 120, 200, 300, 450] {
        let begun = Instant::now();
        let child = shell.command(&args).spawn().unwrap();
        let pid = child.id();
        std::thread::sleep(Duration::from_millis(delay_ms).saturating_sub(begun.elapsed()));
        signal(pid, "-KILL");
        killed += usize::from(finish(child, &args).exit == -1);
    }
    assert!(killed > 0, "every run ended before it was killed");
    let summary = shell.run(&args).exits(0).json();
    let (indexed, unchanged, deleted) = counts(&summary);
    println!("killed {killed} times; then {indexed} indexed, {unchanged} unchanged");
    assert_eq!((indexed + unchanged, deleted), (FILES as u64, 0));
    assert_eq!(
        counts(&shell.run(&args).exits(0).json()),
        (0, FILES as u64, 0)
    );
    assert_eq!(
        chunks(&shell),
        FILES as u64,
        "nothing is missing and nothing doubled"
    );
    for n in [0, 123, FILES - 1] {
        let lot = (n * 7 + 1000).to_string();
        let said = answer(
            &shell,
            &format!("The seal of which lot does box number {n} hold?"),
        );
        assert!(said.contains(&lot), "box {n}: {said}");
    }
}

#[test]
fn a_file_that_takes_too_much_is_named_and_the_rest_is_indexed() {
    let shell = Shell::new();
    shell.write("docs/long.html", "<p>words of it".repeat(300_000));
    for n in 0..20 {
        shell.write(
            &format!("docs/{n}.html"),
            format!("<p>The code of item {n} is K-{n}.</p>"),
        );
    }
    for (setting, why) in [
        ("indexer.read_memory_mib=128", "it needed more than 128 MiB"),
        ("indexer.read_timeout=50ms", "it took longer than"),
    ] {
        let summary = index(&shell, &["--set", setting, "-o", "json"])
            .exits(1)
            .json();
        let skipped = summary["skipped"].as_array().unwrap();
        assert_eq!(skipped.len(), 1, "{summary}");
        let reason = skipped[0]["reason"].as_str().unwrap();
        assert!(
            skipped[0]["source"] == "long.html" && reason.contains(why),
            "{summary}"
        );
    }
    std::fs::remove_file(shell.dir().join("docs/long.html")).unwrap();
    assert!(answer(&shell, "What is the code of item 17?").contains("K-17"));
}
