"""What page.py stands on: a browser that notes what must not happen, doors of its own, a slow model, and a bad network."""

import collections
import contextlib
import http.client
import http.server
import io
import json
import pathlib
import re
import signal
import subprocess
import threading
import time
import urllib.parse

from PIL import Image
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 30
# Runs before any script of the page. `shots` may not be reached by anything that a document says.
WATCH = """
window.seen = { ran: [], broken: [], steps: [], drafts: [] };
for (const name of ['alert', 'confirm', 'prompt', 'print', 'open', 'eval'])
  window[name] = () => { window.seen.ran.push(name); };
document.addEventListener('securitypolicyviolation', (e) => window.seen.broken.push(e.violatedDirective + ' ' + e.blockedURI));
new MutationObserver((changes) => {
  for (const change of changes) for (const node of change.addedNodes) {
    if (node.dataset?.hop) window.seen.steps.push(Number(node.dataset.hop));
    if (change.target.className === 'draft-text') window.seen.drafts.push(change.target.textContent);
  }
}).observe(document, { subtree: true, childList: true });
"""


class Browser:
    """Chromium with one tab."""

    def __init__(self, width=1180, height=820, dark=False):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        options.binary_location = "/usr/bin/chromium"
        self.tab = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.tab.set_script_timeout(PATIENCE)
        self.tab.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        self.size(width, height)
        self.dark(dark)
        self.requests = []

    def size(self, width, height):
        of = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.tab.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", of)

    def dark(self, is_dark):
        feature = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.tab.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def go(self, url):
        self.tab.get(url)
        self.until(lambda: self.all("#talks-note") and (self.text("#holdings") or self.all("#key[open]")))

    def run(self, script, *of):
        return self.tab.execute_script(script, *of)

    def all(self, css):
        return self.tab.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return self.tab.find_element(By.CSS_SELECTOR, css)

    def text(self, css):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", css)

    def until(self, holds):
        return WebDriverWait(self.tab, PATIENCE, 0.05).until(lambda _: holds())

    def click(self, css, nth=0):
        element = self.all(css)[nth]
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def gone(self, element):
        """Waits until the page of an element is no more, and the next one is there."""

        def is_gone():
            try:
                element.is_enabled()
                return False
            except StaleElementReferenceException:
                return True
            except WebDriverException as error:
                # So says Chromium while it replaces one document by the next.
                if "does not belong to the document" in str(error):
                    return True
                raise

        self.until(is_gone)
        self.until(lambda: self.all("body"))

    def keys(self, *keys):
        webdriver.ActionChains(self.tab).send_keys(*keys).perform()

    def dismiss(self):
        """Closes the sheet that is open: Chromium does so some time after the key."""
        self.keys(Keys.ESCAPE)
        self.until(lambda: not self.all("dialog[open]"))

    def back(self):
        """One step back with the keyboard."""
        webdriver.ActionChains(self.tab).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()

    def ask(self, question):
        """Asks, and waits for the end of it."""
        before = len(self.all(".turn"))
        self.one("#question").send_keys(question + "\n")
        self.ended(before + 1)

    def ended(self, turns):
        done = "return document.querySelectorAll('.turn').length === arguments[0] && !document.querySelector('[aria-busy]')"
        self.until(lambda: self.run(done, turns) and self.one("#send").is_displayed())

    def shot(self, path):
        # The animation of a sheet has ended.
        time.sleep(0.4)
        whole = Image.open(io.BytesIO(self.tab.get_screenshot_as_png()))
        whole.convert("RGB").quantize(64).save(path, optimize=True)
        size = pathlib.Path(path).stat().st_size
        assert size < 60_000, f"{path}: {size} bytes"

    def traffic(self):
        """The requests since the last call, by id: address, and bytes that came over the wire."""
        found = collections.defaultdict(lambda: ["", 0])
        for line in self.tab.get_log("performance"):
            message = json.loads(line["message"])["message"]
            of = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                found[of["requestId"]][0] = of["request"]["url"]
            if message["method"] == "Network.loadingFinished":
                found[of["requestId"]][1] = of["encodedDataLength"]
        return [tuple(pair) for pair in found.values() if pair[0]]

    def is_clean(self, base, refused=0):
        """No script of a document ran, nothing broke the policy, nothing was asked elsewhere, and nothing was complained of.

        So many responses may have been refusals, which Chromium notes by itself."""
        seen = self.run("return window.seen")
        assert not seen["ran"], seen
        assert not seen["broken"], seen
        elsewhere = [url for url, _ in self.traffic() if not url.startswith((base, "data:", "chrome:", "about:"))]
        assert not elsewhere, elsewhere
        said = [line["message"] for line in self.tab.get_log("browser")]
        assert len(said) <= refused and all("status of" in line or "ERR_" in line for line in said), said

    def accessible(self, axe, where):
        """axe-core has no finding."""
        time.sleep(0.3)
        self.run(pathlib.Path(axe).read_text())
        result = self.tab.execute_async_script(
            "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(done, (e) => done({error: String(e)}))"
        )
        assert "error" not in result, result
        found = [(of["id"], of["help"], [node["html"][:160] for node in of["nodes"]]) for of in result["violations"]]
        assert not found, f"{where}: {found}"

    def fits(self, where):
        """Nothing has to be scrolled sideways to be read."""
        wide = self.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], f"{where}: {wide}"

    def close(self):
        self.tab.quit()


@contextlib.contextmanager
def serve(argosy, corpus, work, *settings):
    """A door of its own over a folder; yields its address."""
    command = [argosy, "serve", "--corpus", corpus, "--listen", "127.0.0.1:0", "--set", f"data_dir={work}/data"]
    command += [part for setting in settings for part in ("--set", setting)]
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=work)
    try:
        line = process.stdout.readline()
        found = re.search(r"https?://\S+", line)
        assert found, f"argosy serve said {line!r}"
        yield found[0].rstrip("/") + "/"
    finally:
        process.terminate()
        process.wait(30)


@contextlib.contextmanager
def fleet(argosy, corpus, work):
    """A fleet on a NATS server of its own, with a door; yields the address of the door."""
    command = [argosy, "up", "--corpus", corpus, "--port", "0"]
    # It must not take another door of this machine for a model server.
    for setting in (f"data_dir={work}/data", "door.listen=127.0.0.1:0", "model.model=offline-extractive"):
        command += ["--set", setting]
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=work)
    try:
        # It says where its page is when the corpus is indexed.
        for line in process.stdout:
            if found := re.search(r"Page: +(http://\S+)", line):
                break
        yield found[1].rstrip("/") + "/"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


class Quiet(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("content-length") or 0))


class Server(http.server.ThreadingHTTPServer):
    # A browser opens several connections at once; more than wait here are reset.
    request_queue_size = 64


@contextlib.contextmanager
def listening(handler):
    server = Server(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


@contextlib.contextmanager
def slow_model(words, pause):
    """A node with the chat endpoint of OpenAI that says the same to everything, a word at a time."""

    class Node(Quiet):
        def do_GET(self):
            self.say({"object": "list", "data": [{"id": "slow", "object": "model"}]})

        def do_POST(self):
            asked = json.loads(self.body())
            if not asked.get("stream"):
                message = {"role": "assistant", "content": words}
                return self.say({"id": "x", "model": "slow", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            # Whoever stops the question hangs up.
            with contextlib.suppress(OSError):
                for word in re.findall(r"\S+\s*", words):
                    self.chunk({"content": word}, None)
                    time.sleep(pause)
                self.chunk({}, "stop")
                self.wfile.write(b"data: [DONE]\n\n")

        def chunk(self, delta, finish):
            body = {"id": "x", "object": "chat.completion.chunk", "model": "slow", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
            self.wfile.write(f"data: {json.dumps(body)}\n\n".encode())
            self.wfile.flush()

        def say(self, body):
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with listening(Node) as url:
        yield url


@contextlib.contextmanager
def bad_network(base, bytes_max, prefix="", growth=1):
    """A proxy before a door that cuts each stream of events after so many bytes, each later than the one before by them
    times `growth`, and leaves out `prefix`.

    Yields its address and the list of streams that it cut: method, path, and `Last-Event-ID`."""
    door = urllib.parse.urlsplit(base).netloc
    cut = []

    class Proxy(Quiet):
        def forward(self):
            if not self.path.startswith(prefix):
                return self.send_error(404)
            # The door sees the address that the browser uses, as behind any proxy that is set up rightly.
            onward = http.client.HTTPConnection(door, timeout=PATIENCE)
            headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
            onward.request(self.command, self.path[len(prefix):] or "/", self.body(), headers)
            answer = onward.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            is_stream = "event-stream" in (answer.getheader("content-type") or "")
            left = bytes_max * (1 + growth * len(cut)) if is_stream else 1 << 40
            while left and (data := answer.read1(min(left, 65536))):
                self.wfile.write(data)
                self.wfile.flush()
                left -= len(data)
            if is_stream and not left:
                cut.append((self.command, self.path, self.headers.get("last-event-id")))
            onward.close()

        do_GET = do_POST = do_DELETE = forward

    with listening(Proxy) as url:
        yield url.rstrip("/") + prefix + "/", cut
