//! Tests of messages and mailboxes.

use super::quoted::marked;
use crate::reader::tests::{all, body, read, sample};
use crate::reader::{SkipReason, read_bytes};
use envelope::TenantId;
use serde_json::json;
use std::io::{Cursor, Write};

fn message(head: &str, text: &str) -> String {
    format!(
        "From: Ann Lee <ann@a.example>\nDate: Sun, 3 Mar 2024 14:05:00 +0100\n{head}\n\n{text}\n"
    )
}

#[test]
fn who_wrote_when_is_text_and_metadata() {
    let d = read("a.eml", &sample("crane.eml")).unwrap();
    assert_eq!((d.title.as_str(), d.ext.as_str()), ("Crane: limit", "eml"));
    assert_eq!(
        body(&d),
        [
            "# Crane: limit",
            "From: Ann Lee <ann@harbour.example>; To: Bob Ray <bob@crane.example>; \
             Cc: Caro <c@x.example>; Date: 3 March 2024 (2024-03-03 14:05)",
            "Attachments: Plan für März.md, logo.png, Inner.eml, files.zip",
            "The wind limit is 12 m/s.",
            "--",
            "Ann",
        ]
    );
    let said: Vec<_> = d
        .metadata
        .iter()
        .map(|(key, value)| (key.as_str(), value.clone()))
        .collect();
    assert_eq!(
        said,
        [
            ("cc", json!(["Caro <c@x.example>"])),
            ("date", json!("2024-03-03")),
            ("from", json!("Ann Lee <ann@harbour.example>")),
            ("message_id", json!("m3@harbour.example")),
            ("to", json!(["Bob Ray <bob@crane.example>"])),
        ]
    );
}

#[test]
fn an_upload_says_which_attachments_it_has_left_out() {
    let bytes = sample("crane.eml");
    let (document, left_out) = read_bytes(&bytes, "a.eml", &TenantId::default_tenant()).unwrap();
    assert_eq!(document.title, "Crane: limit");
    assert_eq!(
        left_out.unwrap().to_string(),
        "read in part: attachments left out: Plan für März.md, logo.png, Inner.eml, files.zip; \
         publish each of them, as `argosy index` does"
    );
    let alone = message("Subject: x", "words");
    let read = read_bytes(alone.as_bytes(), "a.eml", &TenantId::default_tenant());
    assert_eq!(read.unwrap().1, None);
}

#[test]
fn html_is_read_where_the_plain_text_says_nothing() {
    let parts = |plain: &str| {
        let html = "<style>.p{display:none}</style><p>The <b>gantry</b> is green, and so is the other one, too.<p class=p>amber";
        let head = "Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b";
        message(
            head,
            &format!(
                "--b\nContent-Type: text/plain\n\n{plain}\n--b\nContent-Type: text/html\n\n{html}\n--b--"
            ),
        )
    };
    let last = |plain: &str| {
        let d = read("a.eml", parts(plain).as_bytes()).unwrap();
        body(&d).last().unwrap().to_string()
    };
    assert_eq!(
        last("See HTML."),
        "The gantry is green, and so is the other one, too."
    );
    assert_eq!(last("The gantry is green too."), "The gantry is green too.");
}

#[test]
fn quotes_are_marked() {
    for (text, expected) in [
        ("a\n> b\n>> c\n>\nd", "a\n> b\n> c\n>\nd"),
        (
            "a\n\nOn Sun, 3 Mar 2024, Ann <a@x.example>\nwrote:\n\n> b\n\nc",
            "a\n\n> On Sun, 3 Mar 2024, Ann <a@x.example>\n> wrote:\n\n> b\n\nc",
        ),
        (
            "a\nAm 3. März 2024 schrieb Ann:\n> b",
            "a\n> Am 3. März 2024 schrieb Ann:\n> b",
        ),
        (
            "a\nOn 3 March 2024 Ann wrote:\n\nb\nc",
            "a\n> On 3 March 2024 Ann wrote:\n>\n> b\n> c",
        ),
        (
            "a\n-----Ursprüngliche Nachricht-----\nVon: Ann\nGesendet: Montag\nb",
            "a\n> -----Ursprüngliche Nachricht-----\n> Von: Ann\n> Gesendet: Montag\n> b",
        ),
        (
            "a\n*From:* Ann\n*Sent:* Monday\nb",
            "a\n> *From:* Ann\n> *Sent:* Monday\n> b",
        ),
        (
            "| a | 1 |\nOn 3 March 2024 Ann wrote:\n> b",
            "| a | 1 |\n> On 3 March 2024 Ann wrote:\n> b",
        ),
        (
            "-----BEGIN PGP MESSAGE-----\nb",
            "-----BEGIN PGP MESSAGE-----\nb",
        ),
        (
            "The parts are, as of 2024:\n\na\nFrom: here on\nb",
            "The parts are, as of 2024:\n\na\nFrom: here on\nb",
        ),
    ] {
        assert_eq!(marked(text), format!("{expected}\n"));
    }
}

#[test]
fn a_mailbox_has_each_of_its_words_once() {
    let from = "From ann@a.example Sun Mar  3 14:05:00 2024\n";
    let messages = [
        message(
            "Message-ID: <one@a>\nSubject: One",
            "The limit is 12.\n\nFrom here on.\n>From the yard.",
        ),
        message(
            "Message-ID: <two@a>\nSubject: Two",
            "Agreed.\n\n> The limit is 12.\n> Not in the box.",
        ),
        message(
            "Message-ID: <one@a>\nSubject: Same id",
            "Again.\n\n> > The limit  is 12.",
        ),
        message("Subject: None", "No id."),
    ];
    let mailbox: String = messages.iter().map(|m| format!("{from}{m}\n")).collect();
    let found = all("c/in.mbox", mailbox.as_bytes());
    let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
    let names: Vec<_> = found
        .iter()
        .map(|d| (d.source.as_str(), d.title.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            ("c/in.mbox#one@a", "One"),
            ("c/in.mbox#two@a", "Two"),
            ("c/in.mbox#one@a (2)", "Same id"),
            ("c/in.mbox#4", "None"),
        ]
    );
    let said = |n: usize| body(&found[n])[2..].join("|");
    assert_eq!(said(0), "The limit is 12.|From here on.|From the yard.");
    assert_eq!(said(1), "Agreed.|> Not in the box.");
    assert_eq!(said(2), "Again.");
    for document in &found {
        assert_eq!(
            document.hash,
            crate::document::sha256_hex(&document.to_json())
        );
    }
    let refused = read_bytes(mailbox.as_bytes(), "in.mbox", &TenantId::default_tenant());
    assert_eq!(refused, Err(SkipReason::Several));
}

#[test]
fn an_attachment_keeps_what_an_earlier_message_says() {
    let from = "From ann@a.example Sun Mar  3 14:05:00 2024\n";
    let parts = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\nMessage-ID: <two@a>";
    let attached = "--x\nContent-Type: text/plain\n\nHere it is.\n--x\nContent-Type: text/markdown\n\
        Content-Disposition: attachment; filename=rules.md\n\n> The limit is 12.\n--x--";
    let messages = [
        message("Message-ID: <one@a>", "The limit is 12."),
        format!("{parts}\n\n{attached}\n"),
    ];
    let mailbox: String = messages.iter().map(|m| format!("{from}{m}\n")).collect();
    let found = all("in.mbox", mailbox.as_bytes()).pop().unwrap().unwrap();
    assert_eq!(found.source, "in.mbox#two@a#rules.md");
    assert_eq!(body(&found), ["> The limit is 12."]);
}

#[test]
fn attachments_beyond_the_limit_are_told() {
    let part =
        "--x\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nwords\n";
    let many = part.repeat(super::ATTACHMENTS_MAX + 2);
    let head = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x";
    let mail = format!("{head}\n\n--x\n\nText.\n{many}--x--\n");
    let last = all("a.eml", mail.as_bytes()).pop().unwrap().unwrap_err();
    assert!(
        last.reason.to_string().contains("2 more attachments"),
        "{}",
        last.reason
    );
}

#[test]
fn a_saved_page_is_its_html() {
    let page = "From: <Saved by Blink>\nSnapshot-Content-Location: https://a.example/x\nSubject: T\n\
        MIME-Version: 1.0\nContent-Type: multipart/related; boundary=\"b\"\n\n\
        --b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n\
        <title>Prices</title><p>The fee is 12 =E2=82=AC.\n--b\nContent-Type: text/css\n\np{}\n--b--\n";
    let d = read("a.mhtml", page.as_bytes()).unwrap();
    assert_eq!(
        (d.title.as_str(), body(&d)),
        ("Prices", vec!["The fee is 12 €."])
    );
    assert_eq!(d.metadata["origin"], json!("https://a.example/x"));
}

/// A message as Outlook writes it.
fn outlook(streams: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_storage("/__attach_version1.0_#00000000")
        .unwrap();
    for (path, bytes) in streams {
        file.create_stream(path).unwrap().write_all(bytes).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

#[test]
fn messages_of_outlook_are_read() {
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let sent = (1_709_474_700 + 11_644_473_600_u64) * 10_000_000;
    let fixed = [
        &[0; 32][..],
        b"\x40\x00\x39\x00\x06\0\0\0",
        &sent.to_le_bytes(),
    ]
    .concat();
    let html = "<p>The limit is 12.";
    let bytes = outlook(&[
        ("/__substg1.0_0037001F", &wide("Crane")),
        ("/__substg1.0_0C1A001E", b"J\xf6rg"),
        ("/__substg1.0_0C1F001F", &wide("j@a.example")),
        ("/__substg1.0_0E04001F", &wide("Bob; Caro")),
        ("/__substg1.0_10130102", html.as_bytes()),
        ("/__properties_version1.0", &fixed),
        (
            "/__attach_version1.0_#00000000/__substg1.0_3707001F",
            &wide("plan.md"),
        ),
        (
            "/__attach_version1.0_#00000000/__substg1.0_37010102",
            b"Monday.",
        ),
    ]);
    let found = all("a.msg", &bytes);
    let told: Vec<_> = found
        .iter()
        .flatten()
        .map(|d| (d.source.as_str(), d.ext.as_str()))
        .collect();
    assert_eq!(told, [("a.msg", "msg"), ("a.msg#plan.md", "md")]);
    assert_eq!(
        body(found[0].as_ref().unwrap()),
        [
            "# Crane",
            "From: Jörg <j@a.example>; To: Bob, Caro; Date: 3 March 2024 (2024-03-03 14:05)",
            "Attachments: plan.md",
            "The limit is 12.",
        ]
    );
}

#[test]
fn what_is_no_message_is_told() {
    assert_eq!(read("a.eml", b"").unwrap_err().as_str(), "empty");
    assert_eq!(
        read("a.msg", b"no compound file").unwrap_err().as_str(),
        "broken"
    );
    assert_eq!(
        read("a.mht", b"Subject: x\n\nno page")
            .unwrap_err()
            .as_str(),
        "broken"
    );
    assert_eq!(read("a.mbox", b" \n").unwrap_err().as_str(), "empty");
}
