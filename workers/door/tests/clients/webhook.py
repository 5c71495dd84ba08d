#!/usr/bin/env python3
"""Receives the events of a door as an endpoint would, and checks them with the library of Standard Webhooks.

    pip install --target lib standardwebhooks
    PYTHONPATH=lib python3 webhook.py target/debug/argosy tests/fixtures/corpus

It adds a webhook on this machine, sends it a ping, opens a door over the corpus, asks a question, gives the webhook another
secret, and asks again. The first check that does not hold ends the run with a traceback and another exit code than 0.
"""

import http.server
import importlib.metadata
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import urllib.request

from standardwebhooks import Webhook, WebhookVerificationError

QUESTION = "What is the maximum collector-emitter voltage of the HV2N4410A?"
ANSWER = "45 V"
PATIENCE = 60


class Endpoint(http.server.BaseHTTPRequestHandler):
    told = queue.Queue()
    failures = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        Endpoint.told.put((dict(self.headers), body))
        failing, Endpoint.failures = Endpoint.failures > 0, max(0, Endpoint.failures - 1)
        self.send_response(500 if failing else 204)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def checked(*secrets):
    """The next event, which every secret verifies and others do not."""
    headers, body = Endpoint.told.get(timeout=PATIENCE)
    headers = {name.lower(): value for name, value in headers.items()}
    for secret in secrets:
        assert Webhook(secret).verify(body, headers) == json.loads(body)
    other = "whsec_" + "QUFB" * 8
    for wrong in (lambda: Webhook(other).verify(body, headers), lambda: Webhook(secrets[0]).verify(body + b" ", headers)):
        try:
            wrong()
        except WebhookVerificationError:
            continue
        raise AssertionError("a wrong signature passed")
    return headers["webhook-id"], json.loads(body)


def ask(url):
    request = urllib.request.Request(f"{url}/api/turns", json.dumps({"question": QUESTION}).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        return json.load(response)


def main(argosy, corpus):
    argosy, corpus = pathlib.Path(argosy).resolve(), pathlib.Path(corpus).resolve()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:

        def run(*args):
            command = [argosy, *args, "--set", "door.webhooks=hooks.json", "-o", "json"]
            return json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout)

        hook = f"http://127.0.0.1:{server.server_port}/hook"
        first = run("webhook", "create", "crm", "--url", hook, "--allow-private", "--groups", "*")["secret"]
        assert run("webhook", "test", "crm") == {"webhook": "crm", "status": 204}
        name, event = checked(first)
        assert name.startswith("ping-") and event["type"] == "ping", event
        serve = [argosy, "serve", "--corpus", corpus, "--listen", "127.0.0.1:0", "-o", "json"]
        for one in ("door.webhooks=hooks.json", "door.webhook_delay=100ms", "model.model=offline-extractive", "data_dir=data"):
            serve += ["--set", one]
        door = subprocess.Popen(serve, cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            said = ""
            while not said.rstrip().endswith("}"):
                said += door.stdout.readline()
            url = json.loads(said)["url"]
            Endpoint.failures = 2
            answered = ask(url)
            tries = [checked(first) for _ in range(3)]
            assert tries[0] == tries[1] == tries[2], tries
            name, event = tries[0]
            assert name == f"turn-{answered['turn']}" and event["type"] == "turn.ended", event
            assert event["data"] == answered and ANSWER in answered["answer"], event
            second = run("webhook", "rotate", "crm")["secret"]
            threading.Event().wait(4)
            ask(url)
            checked(first, second)
        finally:
            door.terminate()
            door.wait()
    print(f"standardwebhooks {importlib.metadata.version('standardwebhooks')}: ping, an end after two failures, two secrets: ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
