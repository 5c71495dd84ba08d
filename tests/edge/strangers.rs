//! What people who did not write the system came upon with their own folders: each is one of a kind.

use crate::shell::{Shell, finish};
use std::fs::OpenOptions;
use std::time::{Duration, Instant};

fn shell() -> Shell {
    let shell = Shell::new();
    let lease = "---\nauthor: Marta Klein\n---\n# Lease\n\nThe lease ends on 30 June 2027.\n";
    let complaint = "# Complaint\n\nThis letter complains about Marta Klein, who never answered.\n";
    shell.write("docs/reports/lease.md", lease);
    shell.write("docs/reports/complaint.md", complaint);
    for (name, author) in [("parking", "Tom Hale"), ("praise", "Uta Roth")] {
        let text = format!("---\nauthor: {author}\n---\n# Of {name}\n\nIt is about {name}.\n");
        shell.write(&format!("docs/reports/{name}.md"), text);
    }
    shell
}

#[test]
fn who_is_mentioned_is_told_from_who_has_written() {
    let shell = shell();
    let question = "How many reports were written by Marta Klein?";
    let told = shell
        .run(&["ask", question, "--corpus", "docs", "-o", "json"])
        .exits(0)
        .json();
    let answer = told["answer"].as_str().unwrap();
    assert!(answer.contains("1 document lacks the field"), "{answer}");
}

#[test]
fn what_lies_in_no_folder_is_a_document() {
    let shell = Shell::new();
    for (name, author) in [("a", "Okafor"), ("b", "Lindqvist"), ("c", "Lindqvist")] {
        let text = format!("---\nauthor: {author}\n---\n# Policy {name}\n\nWords of {name}.\n");
        shell.write(&format!("docs/{name}.md"), text);
    }
    let question = "How many documents are by Lindqvist?";
    let told = shell.run(&["ask", question, "--corpus", "docs"]).exits(0);
    let said = "There are 2 documents where author is Lindqvist";
    assert!(told.stdout.starts_with(said), "{}", told.stdout);
}

#[test]
fn a_question_that_is_too_large_is_refused_and_not_waited_for() {
    let shell = shell();
    let begun = Instant::now();
    let question = "lease ".repeat(12_000);
    let told = shell.run(&["ask", &question, "--corpus", "docs"]).exits(1);
    assert!(
        told.stderr.contains("the limit is 65536"),
        "{}",
        told.stderr
    );
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn two_questions_over_one_folder_wait_for_each_other() {
    let shell = shell();
    let args = ["ask", "When does the lease end?", "--corpus", "docs"];
    let both = [(); 2].map(|()| shell.command(&args).spawn().unwrap());
    for one in both {
        let told = finish(one, &args).exits(0);
        assert!(told.stdout.contains("30 June 2027"), "{}", told.stdout);
    }
}

#[test]
fn a_bucket_that_is_misspelt_is_no_empty_result() {
    let shell = shell();
    for words in [&["search", "lease"][..], &["search", "--count"]] {
        let at = ["--corpus", "docs", "--bucket", "report"];
        let told = shell.run(&[words, &at].concat()).exits(3);
        assert!(told.stderr.contains("reports"), "{}", told.stderr);
    }
}

#[test]
fn a_question_back_without_a_fleet_can_be_answered_as_it_says() {
    let shell = Shell::new();
    shell.write(
        "docs/lease.md",
        "# Lease\n\nThe lease ends on 30 June 2027.\n",
    );
    shell.write(
        "docs/parking.md",
        "# Parking\n\nThe parking costs 40 euro.\n",
    );
    let asked = ["ask", "What about it?", "--corpus", "docs"];
    let told = shell.run(&asked).exits(7);
    assert!(!told.stderr.contains("--answer"), "{}", told.stderr);
    let within = [&asked[..], &["--conversation", "c1"]].concat();
    let told = shell.run(&within).exits(7);
    let said = "argosy ask --corpus 'docs' --conversation c1 --answer ";
    assert!(told.stderr.contains(said), "{}", told.stderr);
}

#[test]
fn a_full_disk_is_an_error_and_no_panic() {
    let shell = shell();
    let args = ["search", "lease", "--corpus", "docs"];
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let told = finish(shell.command(&args).stdout(full).spawn().unwrap(), &args).exits(1);
    let said = "error: standard output cannot be written to";
    assert!(told.stderr.contains(said), "{}", told.stderr);
    assert!(!told.stderr.contains("panicked"), "{}", told.stderr);
}

#[test]
fn a_second_fleet_in_one_folder_is_refused_before_its_server_starts() {
    let shell = shell();
    let data = shell.dir().join(".argosy");
    std::fs::create_dir_all(&data).unwrap();
    let held = std::fs::File::create(data.join("up.lock")).unwrap();
    held.lock().unwrap();
    let told = shell.run(&["up", "--port", "0"]).exits(1);
    assert!(
        told.stderr.contains("another `argosy up`"),
        "{}",
        told.stderr
    );
    assert!(!data.join("nats").exists());
}
