//! Tests files that a program outside reads, with a stand-in for `tesseract` that waits where the test wants it.

use crate::indexing::chunks;
use crate::shell::{Shell, finish, signal};
use crate::telling_names::pdf;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const PICTURES: usize = 3;
const PAGES: usize = 4;

/// Puts a program called `tesseract` on the PATH. It tells its process and waits, unless there is a file `free`.
fn with_stand_in(shell: Shell) -> Shell {
    let dir = shell.dir().to_string_lossy().into_owned();
    let script = format!(
        "#!/bin/sh\n# A stand-in for tesseract that a test has made: it reads the same line from each picture.\n\
         [ $1 = --list-langs ] && {{ echo Languages: eng osd | tr ' ' '\\n'; exit; }}\n\
         [ -e {dir}/free ] || {{ echo $$ > {dir}/begun; read _ < {dir}/go; }}\n\
         cat > \"$2.hocr\" <<END\n<html><div class='ocr_page'><span class='ocr_line'>\
         <span class='ocrx_word' title='x_wconf 80'>Picture</span> <span class='ocrx_word' title='x_wconf 70'>$(tail -c +4 $1)</span>\
         </span></div></html>\nEND\n"
    );
    let program = shell.write("bin/tesseract", script);
    std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
    for pipe in ["begun", "go"] {
        let made = Command::new("mkfifo").arg(shell.dir().join(pipe)).status();
        assert!(made.unwrap().success());
    }
    std::fs::create_dir(shell.dir().join("tmp")).unwrap();
    let path = settings::sources::variable("PATH").unwrap();
    let tmp = format!("{dir}/tmp");
    shell
        .env("PATH", &format!("{dir}/bin:{}", path.to_string_lossy()))
        .env("TMPDIR", &tmp)
}

/// Indexes `docs` with the stand-in and this setting.
fn index(setting: &str) -> [&str; 8] {
    [
        "index",
        "docs",
        "-o",
        "json",
        "--set",
        "indexer.ocr=tesseract",
        "--set",
        setting,
    ]
}

/// What begins as a picture does, with these words for the stand-in.
fn picture(words: &str) -> Vec<u8> {
    [b"\xff\xd8\xff", words.as_bytes()].concat()
}

/// Whether a process works, or could.
fn is_there(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ")
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

fn is_soon(what: &str, mut wanted: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !wanted() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn a_kill_in_the_middle_of_text_recognition_loses_nothing_and_leaves_nothing() {
    let shell = with_stand_in(Shell::new());
    for n in 0..PAGES {
        shell.write(
            &format!("docs/page{n}.html"),
            format!("<p>Page {n} has the code P-{n}."),
        );
    }
    for n in 0..PICTURES {
        shell.write(
            &format!("docs/picture{n}.png"),
            picture(&format!("has the code Q-{n}.")),
        );
    }
    let args = index("indexer.slots=1");
    let child = shell.command(&args).spawn().unwrap();
    let argosy = child.id();
    let told = std::fs::read_to_string(shell.dir().join("begun")).unwrap();
    let stand_in: u32 = told.trim().parse().unwrap();
    assert!(is_there(stand_in));
    assert_eq!(entries(&shell.dir().join("tmp")), 1);
    signal(argosy, "-KILL");
    assert_eq!(finish(child, &args).exit, -1);
    is_soon("the program ends with who has called it", || {
        !is_there(stand_in)
    });
    is_soon("its folder goes", || entries(&shell.dir().join("tmp")) == 0);

    shell.write("free", "");
    let summary = shell.run(&args).exits(0).json();
    let of = |name: &str| summary[name].as_u64().unwrap();
    let all = (PAGES + PICTURES) as u64;
    assert_eq!(of("indexed") + of("unchanged"), all, "{summary}");
    assert_eq!(
        chunks(&shell),
        all,
        "nothing is missing and nothing doubled"
    );
    let search = [
        "search",
        "Picture code Q-2",
        "--corpus",
        "docs",
        "-o",
        "json",
        args[4],
        args[5],
    ];
    let found = shell.run(&search).exits(0).json();
    let first = &found["search"]["passages"][0];
    assert_eq!(first["source"], "picture2.png");
    assert!(
        first["text"]
            .as_str()
            .unwrap()
            .contains("Picture has the code Q-2."),
        "{first}"
    );
    assert_eq!(first["metadata"]["ocr_confidence"], 0.75, "{first}");
}

#[test]
fn a_program_that_takes_too_long_costs_its_file_alone() {
    let shell = with_stand_in(Shell::new());
    shell.write("docs/page.html", "<p>Words.");
    shell.write("docs/picture.png", picture("words"));
    let args = index("indexer.program_timeout=500ms");
    let child = shell.command(&args).spawn().unwrap();
    let told = std::fs::read_to_string(shell.dir().join("begun")).unwrap();
    let summary = finish(child, &args).exits(1).json();
    assert_eq!(summary["indexed"], 1, "{summary}");
    let reason = summary["skipped"][0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("`tesseract` took longer than 500ms (`indexer.program_timeout`)"),
        "{reason}"
    );
    is_soon("it is gone", || !is_there(told.trim().parse().unwrap()));
    assert_eq!(entries(&shell.dir().join("tmp")), 0);
}

#[test]
fn a_reader_that_the_kernel_ends_takes_its_program_and_its_folder_with_it() {
    let shell = with_stand_in(Shell::new());
    shell.write("docs/picture.png", picture("words"));
    let args = index("indexer.slots=1");
    let child = shell.command(&args).spawn().unwrap();
    let told = std::fs::read_to_string(shell.dir().join("begun")).unwrap();
    let stand_in: u32 = told.trim().parse().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{stand_in}/stat")).unwrap();
    let reader = stat.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap();
    signal(reader.parse().unwrap(), "-KILL");
    let summary = finish(child, &args).exits(1).json();
    let reason = summary["skipped"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("not read within its limits"), "{reason}");
    is_soon("its program is gone", || !is_there(stand_in));
    assert_eq!(entries(&shell.dir().join("tmp")), 0);
}

#[test]
fn what_is_missing_here_is_no_fault_of_a_file() {
    let shell = with_stand_in(Shell::new());
    shell.write("docs/picture.png", picture("words"));
    shell.write("docs/list.png", "/etc/hostname\n");
    let args = index("indexer.ocr_languages=eng+deu");
    let summary = shell.run(&args).exits(1).json();
    let skipped = summary["skipped"].to_string();
    assert!(skipped.contains("lacks the language `deu`"), "{skipped}");
    assert!(
        skipped.contains("not of the format that its name says"),
        "{skipped}"
    );
}

/// Pages that are pictures come out of another stand-in, each with its number, and stand where they were among the others.
#[test]
fn pages_that_are_pictures_are_recognised_each_at_its_place() {
    let shell = with_stand_in(Shell::new());
    let script = "#!/bin/sh\n# A stand-in for pdftoppm that a test has made.\nprintf 'ab\\nhas the code S-%s.' $2 > page.pgm\n";
    let program = shell.write("bin/pdftoppm", script);
    std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
    shell.write("free", "");
    let picture = "q 500 0 0 700 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q";
    let words = "BT /F 11 Tf 72 700 Td (Between them stand words of page two.) Tj ET";
    shell.write("docs/scan.pdf", pdf(&[picture, words, picture]));
    let args = index("indexer.slots=1");
    assert_eq!(shell.run(&args).exits(0).json()["indexed"], 1);
    let search = [
        "search", "code", "--corpus", "docs", "-o", "json", args[4], args[5],
    ];
    let found = shell.run(&search).exits(0).json();
    let passages = found["search"]["passages"].as_array().unwrap();
    let texts = passages.iter().map(|one| one["text"].as_str().unwrap());
    let text = texts.collect::<Vec<_>>().join("\n");
    let at = |what: &str| {
        assert_eq!(text.matches(what).count(), 1, "{what}: {text}");
        text.find(what).unwrap()
    };
    let places = [
        at("has the code S-1."),
        at("words of page two."),
        at("has the code S-3."),
    ];
    assert!(places.is_sorted(), "{text}");
    assert_eq!(passages[0]["metadata"]["ocr_confidence"], 0.75);
}
