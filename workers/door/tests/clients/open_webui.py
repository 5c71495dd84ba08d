#!/usr/bin/env python3
"""Asks a door through Open WebUI as its users do: over its API, and in Chromium. Not part of CI: Open WebUI takes 1 to 8 GB.

    argosy serve --corpus tests/fixtures/corpus --listen 127.0.0.1:8105
    OPENAI_API_BASE_URL=http://127.0.0.1:8105/v1 OPENAI_API_KEY=any TASK_MODEL_EXTERNAL=argosy-tasks \\
        DATA_DIR=$(mktemp -d) WEBUI_SECRET_KEY=any ENABLE_OLLAMA_API=false OFFLINE_MODE=true RAG_EMBEDDING_ENGINE=openai \\
        open-webui serve --host 127.0.0.1 --port 8106
    python3 open_webui.py http://127.0.0.1:8106 [PICTURE.png]

Wants an Open WebUI that nobody has signed up to (`pip install open-webui`; torch and what hangs on it may be left out), Debian's
`chromium` and `chromium-driver`, and `pip install selenium`. The first check that does not hold ends the run with a traceback.
"""

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

QUESTION = "What is the maximum collector-emitter voltage of the HV2N4410A?"
ANSWER = "45 V"
UNCLEAR = "What is the total?"
MEANT = "invoice BS-88214"
TOTAL = "4,933.20 EUR"
PATIENCE = 60
# What it asks a model besides the questions of its users.
TASKS = ["title", "tags", "follow_up", "emoji", "queries"]


def call(base, token, path, body):
    """Status and text of a response."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(base + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def over_its_api(base, token):
    """A streamed answer with its sources, and tasks that search nothing."""
    messages = [{"role": "user", "content": QUESTION}]
    status, told = call(base, token, "/api/chat/completions", {"model": "argosy", "stream": True, "messages": messages})
    chunks = [json.loads(line[6:]) for line in told.splitlines() if line.startswith("data: {")]
    text = "".join(part["delta"].get("content") or "" for chunk in chunks for part in chunk["choices"])
    assert status == 200 and ANSWER in text and "](http" in text and told.rstrip().endswith("[DONE]"), told
    for task in TASKS:
        body = {"model": "argosy", "messages": messages, "prompt": QUESTION, "type": "search query"}
        status, told = call(base, token, f"/api/v1/tasks/{task}/completions", body)
        assert status == 400 and "argosy-tasks" in told, (task, status, told)


def in_its_page(base, token):
    """A question back that the next message answers, and an answer whose sources are links."""
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en", "--window-size=1000,800"):
        options.add_argument(argument)
    options.binary_location = "/usr/bin/chromium"
    tab = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    all_of = lambda css: tab.find_elements(By.CSS_SELECTOR, css)
    text = lambda: tab.find_element(By.TAG_NAME, "body").text
    # The page draws itself anew while it is read.
    until = lambda holds: WebDriverWait(tab, PATIENCE, 0.2, [WebDriverException]).until(lambda _: holds())
    press = lambda buttons: until(lambda: [tab.execute_script("arguments[0].click()", one) for one in buttons()[:1]])

    def ask(question):
        until(lambda: [one.send_keys(question) or one for one in all_of("#chat-input")[:1]])
        press(lambda: [one for one in all_of("#send-message-button") if one.is_enabled()])

    try:
        tab.get(f"{base}/static/favicon.png")
        tab.execute_script("localStorage.token = arguments[0]; localStorage.locale = 'en-US'", token)
        tab.get(f"{base}/?models=argosy")
        # News of the release stand before the first chat.
        press(lambda: [one for one in all_of("button") if "Let's Go" in one.text])
        ask(UNCLEAR)
        until(lambda: "?" in text().split(UNCLEAR)[-1])
        time.sleep(1)
        ask(MEANT)
        until(lambda: TOTAL in text())
        ask(QUESTION)
        until(lambda: ANSWER in text() and "Source" in text().split(ANSWER)[-1])
        links = [link.get_attribute("href") for link in all_of("a[href*='?turn=']")]
        assert links and all("#citation-" in link for link in links), links
        # No title was made: the chat is called by its first question.
        assert tab.title.startswith(UNCLEAR), tab.title
        if len(sys.argv) == 3:
            tab.save_screenshot(sys.argv[2])
    finally:
        tab.quit()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    base = sys.argv[1].rstrip("/")
    admin = {"name": "admin", "email": "admin@example.com", "password": "Long-enough-1"}
    status, told = call(base, "", "/api/v1/auths/signup", admin)
    assert status == 200, (status, told)
    token = json.loads(told)["token"]
    with urllib.request.urlopen(f"{base}/api/config", timeout=PATIENCE) as response:
        version = json.load(response)["version"]
    for check in (over_its_api, in_its_page):
        check(base, token)
        print(f"{check.__name__}: {check.__doc__.splitlines()[0]}")
    print(f"open webui: ok ({version})")


if __name__ == "__main__":
    main()
