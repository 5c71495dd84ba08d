"""Mail and archives by Python's own library, and pages of the web."""

import email.message
import email.policy
import io
import mailbox
import zipfile

import docx

PAGE = """<!doctype html><html><head><title>Yard page</title><style>.gone {{ display: none }}</style></head><body>
<nav>Home Contact</nav><h1>Yard page</h1><p>{paragraph}</p><p style="display:none">{none}</p><p hidden>{hidden}</p>
<p aria-hidden="true">{aria}</p><p style="color:#fff;background:#ffffff">{white}</p><p class="gone">{styled}</p>
<details><summary>More</summary><p>{details}</p></details><img src="a.png" alt="{alt}">
<table><tr><th>machine</th><th colspan="2">fuse</th></tr><tr><td>{subject}</td><td>{value}</td><td>new</td></tr></table>
</body></html>"""


def message(subject, body):
    made = email.message.EmailMessage()
    made["From"] = "Office <office@yard.example>"
    made["To"] = "crew@yard.example"
    made["Subject"] = subject
    made["Date"] = "Mon, 05 May 2031 10:00:00 +0000"
    made.set_content(body)
    return made


def mail(facts, folder):
    def say(name, feature, **more):
        return facts.say(("eml", name), feature, **more).text

    def write(name, made):
        (folder / name).write_bytes(made.as_bytes(policy=email.policy.SMTP))

    write("subject.eml", message(say("subject.eml", "subject"), "See above."))
    write("encoded.eml", message("Größe: " + say("encoded.eml", "encoded subject"), "Siehe oben."))
    write("body.eml", message("Yard", "Hello,\n\n" + say("body.eml", "body") + "\n\nRegards\n"))
    made = message("Who wrote", "A mooring plan is added.\n")
    made.replace_header("From", "Sigvald Trondsen <s.trondsen@yard.example>")
    question = "Who sent the mail about the mooring plan?"
    facts.add(("eml", "sender.eml"), "sender", question, ["Sigvald Trondsen"], words=["mooring plan"])
    write("sender.eml", made)
    made = message("Page", "")
    made.set_content(f"<html><body><p>{say('html.eml', 'body of HTML alone')}</p></body></html>", subtype="html")
    write("html.eml", made)
    reply = f"Thanks, we know.\n\nOn Monday Office wrote:\n> {say('reply.eml', 'quoted reply')}\n"
    write("reply.eml", message("Re: Yard", reply))
    made = message("Files", "Two files are added.")
    made.add_attachment(say("files.eml#note.txt", "attached text"), filename="note.txt")
    letter = word(say("files.eml#letter.docx", "attached DOCX"))
    made.add_attachment(letter, "application", "docx", filename="letter.docx")
    made.add_attachment(message("Inner", say("files.eml#Inner.eml", "attached mail")))
    write("files.eml", made)
    box = mailbox.mbox(folder / "box.mbox")
    box.add(message("First", facts.say(("mbox", "box.mbox#1"), "first message").text))
    box.add(message("Second", facts.say(("mbox", "box.mbox#2"), "second message").text))
    box.close()
    file = ("mhtml", "saved.mhtml")
    made = email.message.EmailMessage()
    made["Subject"] = "Saved page"
    text = facts.say(file, "paragraph").text
    made.set_content(f"<html><body><h1>Saved</h1><p>{text}</p></body></html>", subtype="html")
    made.make_mixed()
    made.set_type("multipart/related")
    write(file[1], made)


def word(text):
    document, out = docx.Document(), io.BytesIO()
    document.add_paragraph(text)
    document.save(out)
    return out.getvalue()


def archive(facts, folder):
    def say(part, feature):
        return facts.say(("zip", f"files.zip#{part}"), feature).text

    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("deep.txt", say("inner.zip", "file in an inner archive"))
    with zipfile.ZipFile(folder / "files.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("plain.txt", say("plain.txt", "text file"))
        made.writestr("folder one/letter.docx", word(say("folder one/letter.docx", "DOCX in a folder")))
        made.writestr("inner.zip", inner.getvalue())


def page(facts, folder):
    file = ("html", "page.html")
    seen = {name: facts.say(file, name).text for name in ["paragraph", "details"]}
    seen["alt"] = facts.say(file, "words of a picture").text
    unseen = {"none": "display:none", "hidden": "hidden", "aria": "aria-hidden", "white": "white on white"}
    unseen["styled"] = "display:none in a style sheet"
    unseen = {name: facts.say(file, feature, absent=True).text for name, feature in unseen.items()}
    cell = facts.cell(file, "cell below a wide header")
    (folder / file[1]).write_text(PAGE.format(subject=cell.subject, value=cell.value, **seen, **unseen))


def plain(facts, folder):
    for name, encoding in [("plain.txt", "utf-8"), ("wide.txt", "utf-16"), ("west.txt", "cp1252")]:
        text = f"Größe und Maß.\n\n{facts.say(('txt', name), encoding).text}\n"
        (folder / name).write_bytes(text.encode(encoding))


def make(facts, folder):
    for one in (mail, archive, page, plain):
        one(facts, folder)
