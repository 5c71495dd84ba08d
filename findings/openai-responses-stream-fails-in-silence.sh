#!/usr/bin/env bash
# openai 3.57.0 (Python): a stream of Responses in which the server tells of its failure ends like one that went well.
#
# A scripted server on loopback sends the beginning of an answer, and then that the model is gone. One would expect an APIError in
# the middle of the loop, as it comes in a stream of chat completions. Seen: there it comes. In a stream of Responses both events
# that the package has types for, `response.failed` and `error` with its message beside its type, are handed to the loop as any
# other event, and nothing is raised; a loop that only reads the deltas takes half an answer for a whole one. The same `error`
# event with its message inside an object `error` does raise. A stream that just ends after a delta raises nothing in either API.
#
# `get_final_response()` of `responses.stream` raises for all of these, but for the two events it is a RuntimeError about a missing
# `response.completed`, without the server's reason; and so it does for an answer that `max_output_tokens` cut, which without a
# stream is returned with the status `incomplete`; pull request 3538 of the package is about this part.
#
# Exits with 0 while that is so, and with 1 when a line differs. It needs python3 with venv and pip.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
timeout 300 python/bin/pip install --quiet --disable-pip-version-check openai==3.57.0

cat >streams.py <<'PYTHON'
import http.server, json, sys, threading
import openai

REASON = {"code": "server_error", "message": "the model is gone"}
MESSAGE = {"id": "m", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
TEXT = {"type": "output_text", "text": "", "annotations": []}

def answer(status, **more):
    return {"id": "r", "object": "response", "created_at": 0, "model": "m", "output": [], "parallel_tool_calls": True,
            "tool_choice": "auto", "tools": [], "metadata": {}, "status": status, **more}

BEGINNING = [
    {"type": "response.created", "response": answer("in_progress")},
    {"type": "response.output_item.added", "output_index": 0, "item": MESSAGE},
    {"type": "response.content_part.added", "output_index": 0, "content_index": 0, "item_id": "m", "part": TEXT},
    {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "m", "delta": "Half", "logprobs": []},
]
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m",
         "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Half"}, "finish_reason": None}]}
CUT = answer("incomplete", incomplete_details={"reason": "max_output_tokens"})
STREAMS = {
    "chat, data with error": [CHUNK, {"error": REASON}],
    "chat, just ends": [CHUNK],
    "response.failed": [*BEGINNING, {"type": "response.failed", "response": answer("failed", error=REASON)}],
    "error": [*BEGINNING, {"type": "error", **REASON, "param": None}],
    "error, nested": [*BEGINNING, {"type": "error", "error": REASON}],
    "just ends": BEGINNING,
    "response.incomplete": [*BEGINNING, {"type": "response.incomplete", "response": CUT}],
}

class Server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        events, kind = STREAMS[asked["model"]], "text/event-stream"
        if asked.get("stream"):
            parts = [{**event, "sequence_number": at} if "type" in event else event for at, event in enumerate(events)]
            body = "".join((f"event: {part['type']}\n" if "type" in part else "") + f"data: {json.dumps(part)}\n\n" for part in parts)
        else:
            body, kind = json.dumps(events[-1]["response"]), "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0, timeout=20)

def loop(name):
    if name.startswith("chat"):
        stream = client.chat.completions.create(model=name, messages=[{"role": "user", "content": "?"}], stream=True)
        return f"ends after {len(list(stream))} chunk"
    return "ends, last event " + [event.type for event in client.responses.create(model=name, input="?", stream=True)][-1]

def final(name):
    with client.responses.stream(model=name, input="?") as stream:
        return stream.get_final_response().status

def whole(name):
    return "status " + client.responses.create(model=name, input="?").status

same, silent = True, "RuntimeError: Didn't receive a `response.completed` event."
for what, call, name, told in [
    ("loop", loop, "chat, data with error", "APIError: the model is gone"),
    ("loop", loop, "chat, just ends", "ends after 1 chunk"),
    ("loop", loop, "response.failed", "ends, last event response.failed"),
    ("loop", loop, "error", "ends, last event error"),
    ("loop", loop, "error, nested", "APIError: the model is gone"),
    ("loop", loop, "just ends", "ends, last event response.output_text.delta"),
    ("get_final_response", final, "response.failed", silent),
    ("get_final_response", final, "error", silent),
    ("get_final_response", final, "just ends", silent),
    ("get_final_response", final, "response.incomplete", silent),
    ("without a stream", whole, "response.incomplete", "status incomplete"),
]:
    try:
        seen = call(name)
    except Exception as error:
        seen = f"{type(error).__name__}: {error}"
    same &= seen == told
    print(f"{what:<18} | {name:<21} | {seen}")
print(f"openai {openai.__version__}; expected: an APIError with the reason wherever the server tells of an error")
sys.exit(not same)
PYTHON
timeout 60 python/bin/python streams.py
