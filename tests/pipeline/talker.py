"""Conversations with a fleet, asked by a client that shares no code with it: NATS by hand over a socket, JSON, nothing else.

Usage: talker.py HOST PORT CONVERSATIONS TURNS

Each conversation asks its next question when it has the answer to the last one. A client that loses its connection, or waits for long,
asks the same question again under the same id. What every answer has to say is checked here; the last line is a summary as JSON.
"""

import asyncio
import json
import sys

WAIT = 15.0
DEADLINE = "15m"


class Client:
    """One connection to NATS, made again when it breaks."""

    def __init__(self, host, port):
        self.host, self.port = host, port
        self.waiting = {}
        self.writer = None
        self.connects = 0

    async def run(self):
        while True:
            try:
                await self.connection()
            except (OSError, asyncio.IncompleteReadError, ValueError):
                pass
            self.writer = None
            await asyncio.sleep(0.1)

    async def connection(self):
        reader, writer = await asyncio.open_connection(self.host, self.port)
        line = await reader.readline()
        if not line.startswith(b"INFO"):
            raise ValueError(line)
        writer.write(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB _INBOX.talker.> 1\r\nPING\r\n')
        self.writer, self.connects = writer, self.connects + 1
        while True:
            line = (await reader.readline()).decode()
            if not line:
                raise ValueError("closed")
            if line.startswith("PING"):
                writer.write(b"PONG\r\n")
            elif line.startswith("HMSG"):
                words = line.split()
                head, whole = int(words[-2]), int(words[-1])
                body = (await reader.readexactly(whole + 2))[head:-2]
                self.heard(words[1], body)
            elif line.startswith("MSG"):
                words = line.split()
                body = (await reader.readexactly(int(words[-1]) + 2))[:-2]
                self.heard(words[1], body)

    def heard(self, subject, body):
        waiting = self.waiting.get(subject.rsplit(".", 1)[-1])
        if waiting and not waiting.done():
            waiting.set_result(body)

    def publish(self, subject, body):
        if self.writer is not None:
            self.writer.write(f"PUB {subject} {len(body)}\r\n".encode() + body + b"\r\n")

    async def ask(self, turn, question):
        body = json.dumps(question).encode()
        answer = asyncio.get_running_loop().create_future()
        self.waiting[turn] = answer
        tries = 0
        while True:
            tries += 1
            try:
                self.publish("argosy.query", body)
            except OSError:
                pass
            try:
                return json.loads(await asyncio.wait_for(asyncio.shield(answer), WAIT)), tries
            except asyncio.TimeoutError:
                continue


def told(turn):
    return ["nothing was said before", "1 exchange before"][turn] if turn < 2 else f"{turn} exchanges before"


async def talk(client, name, turns, summary):
    for turn in range(turns):
        ident = f"{name}-{turn}"
        question = {
            "id": ident,
            "question": f"What is the notice period of contract {turn}?",
            "conversation": name,
            "deadline": DEADLINE,
            "reply_to": f"_INBOX.talker.{ident}",
        }
        event, tries = await client.ask(ident, question)
        summary["asked_again"] += tries - 1
        first = event["trail"][0] if event.get("trail") else {}
        found = (event["outcome"], event["turn"], first.get("role"), first.get("decided"))
        wanted = ("answered", ident, "conversation", told(min(turn, 12)))
        if found != wanted:
            raise SystemExit(f"{ident}: {found}, not {wanted}: {event.get('error')}")
        summary["answered"] += 1


async def main():
    host, port, talks, turns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    client = Client(host, port)
    running = asyncio.create_task(client.run())
    summary = {"answered": 0, "asked_again": 0}
    await asyncio.gather(*(talk(client, f"talk-{n}", turns, summary) for n in range(talks)))
    running.cancel()
    print(json.dumps({**summary, "connects": client.connects}))


asyncio.run(main())
