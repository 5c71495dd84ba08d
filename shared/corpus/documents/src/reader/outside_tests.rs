//! Tests of programs outside, with a shell as the program.

use super::*;

/// Runs a script.
fn shell(script: &str) -> Call {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script, "sh", "in.txt"]);
    (command, "made".into())
}

fn made(script: &'static str, patience: Duration) -> Result<Made, SkipReason> {
    let work = Work::on(b"words", "in.txt", patience).unwrap();
    work.made(shell(script))
}

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn what_a_program_makes_is_read_and_its_failure_told_in_its_words() {
    let words = |told| Ok((b"words".to_vec(), told));
    let harmless = "echo Error in boxClipToRectangle >&2; echo Estimating >&2; cat $1 > made";
    assert_eq!(made(harmless, MINUTE), words(None));
    let told = Some(SkipReason::Partial("`sh` says: Error in page 2".into()));
    let half = "echo Warning >&2; echo Error in page 2 >&2; cat $1 > made";
    assert_eq!(made(half, MINUTE), words(told));
    let wanted = SkipReason::Program("`sh` failed on it and does not say why".into());
    assert_eq!(made("cat $1 > made; exit 127", MINUTE), Err(wanted));
    let broken = made("echo Could not initialize tesseract >&2; exit 1", MINUTE);
    assert!(matches!(broken, Err(SkipReason::Program(_))), "{broken:?}");
    for (script, wanted) in [
        ("cat $1 > made; exit 1", "failed on it"),
        (
            "echo first >&2; echo no eng.traineddata >&2; echo >&2",
            "failed on it (first no eng.traineddata)",
        ),
        ("exit 3", "failed on it and does not say why"),
        ("kill -9 $$", "signal 9"),
    ] {
        let said = made(script, MINUTE).unwrap_err().to_string();
        assert!(said.contains(wanted), "{script}: {said}");
    }
}

#[test]
fn libreoffice_is_called_with_its_settings_and_one_filter() {
    let folder = tempfile::tempdir().unwrap();
    let filter = ("docx", "MS Word 97");
    let (command, made) = save_as(Path::new("/bin/true"), folder.path(), "in.doc", filter).unwrap();
    let settings = folder.path().join("profile/user/registrymodifications.xcu");
    let settings = fs::read_to_string(settings).unwrap();
    for of in [
        "DisableMacrosExecution",
        "DisableActiveContent",
        "BlockUntrustedRefererLinks",
        "ooInetHTTPSProxyName",
    ] {
        assert!(settings.contains(of), "{of}");
    }
    assert!(command.get_args().any(|one| one == "--infilter=MS Word 97"));
    let home = Some(folder.path().as_os_str());
    assert!(
        command
            .get_envs()
            .any(|one| one == ("XDG_CONFIG_HOME".as_ref(), home))
    );
    assert_eq!(made, "saved/in.docx");
}

#[test]
fn a_program_that_takes_too_long_goes_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let told = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(told.success());
    let work = Work::on(
        pipe.as_os_str().as_encoded_bytes(),
        "in.txt",
        Duration::from_millis(300),
    )
    .unwrap();
    // What holds the pipe open is started by what is started; a reader sees its end when both are gone.
    let script =
        "pipe=$(cat $1); (sh -c 'echo there; tail -f /dev/null' > $pipe) & wait; read _ < $pipe";
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    let said = work.made(shell(script)).unwrap_err();
    assert!(
        matches!(&said, SkipReason::OverLimits(why) if why.contains("longer than 300ms")),
        "{said}"
    );
    assert_eq!(reader.join().unwrap(), "there\n");
}

#[test]
fn without_programs_their_formats_are_unknown_and_the_fix_is_named() {
    for (ext, fix) in [
        ("doc", "install LibreOffice"),
        ("ppt", "install LibreOffice"),
        ("png", "indexer.ocr"),
    ] {
        let said = Format::of_source(&format!("a.{ext}")).unwrap_err();
        assert_eq!(said, SkipReason::UnknownExtension(ext.to_owned()));
        assert!(said.to_string().contains(fix), "{said}");
    }
    assert!(!reads(Format::Scan) && reads(Format::Pdf));
}

#[test]
fn only_what_begins_as_its_format_does_goes_to_a_program() {
    let long = |head: &[u8]| [head, &[0; 30]].concat();
    for head in [
        &b"\x89PNG\r\n\x1a\n"[..],
        b"\xff\xd8\xff\xe0",
        b"GIF89a",
        b"II*\0",
        b"MM\0*",
        b"MM\0+",
        b"RIFF0000WEBP",
        b"BM0000",
    ] {
        assert!(is_picture(&long(head)), "{head:?}");
    }
    for text in [
        "/etc/hostname\n",
        "BM/a/picture/that/is/elsewhere.png",
        "",
        "%PDF-1.4",
        "P5 1 1 255 ",
    ] {
        let said = turned(text.as_bytes(), Format::Picture, "png").unwrap_err();
        assert_eq!(said.as_str(), "broken", "{text}");
    }
    let said = turned(b"words", Format::OldOffice, "doc").unwrap_err();
    assert_eq!(said.as_str(), "broken");
    let there = turned(&long(OLD_OFFICE), Format::OldOffice, "doc").unwrap_err();
    assert_eq!(there.as_str(), "unknown_extension", "without the program");
    for (head, format) in [
        (&b"\xef\xbb\xbf <html>"[..], Format::Html),
        (b"{\\rtf1", Format::Rtf),
        (b"words", Format::OldOffice),
    ] {
        assert_eq!(Format::OldOffice.seen(head), format);
    }
}

#[test]
fn a_group_whose_process_is_gone_is_ended_by_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new("sleep")
        .arg("60")
        .process_group(0)
        .spawn()
        .unwrap();
    fs::write(folder.path().join(GROUP), child.id().to_string()).unwrap();
    end_in(folder.path());
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    for none in ["", "0", "1", "-1", "x"] {
        fs::write(folder.path().join(GROUP), none).unwrap();
        end_in(folder.path());
    }
}
