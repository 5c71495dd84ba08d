#!/usr/bin/env python3
"""Opens event streams of a turn that runs, and says what memory they take of the door.

    python3 streams.py http://127.0.0.1:8080 TURN COUNT PID

PID is the process of the door. Wants Linux, and room for as many open files (`ulimit -n`).
"""

import asyncio
import sys
import urllib.parse

AT_ONCE = 100
SETTLED_S = 5


def memory(pid):
    """What the process alone holds, with its share of what it holds with others, in MB (10^6 bytes)."""
    with open(f"/proc/{pid}/smaps_rollup") as lines:
        return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("Pss:"))


async def open_stream(at, turn, room):
    async with room:
        reader, writer = await asyncio.open_connection(at.hostname, at.port, limit=1 << 16)
        writer.write(f"GET /api/turns/{turn}/events HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
        status = await reader.readline()
        assert b" 200 " in status, status
        while not (await reader.readline()).startswith(b"event: turn"):
            pass
        return writer


async def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    at, turn, count, pid = urllib.parse.urlsplit(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    before, room = memory(pid), asyncio.Semaphore(AT_ONCE)
    streams = await asyncio.gather(*(open_stream(at, turn, room) for _ in range(count)))
    await asyncio.sleep(SETTLED_S)
    after = memory(pid)
    print(f"{count} open streams: {after:.0f} MB, {before:.0f} MB before them, {(after - before) * 1000 / count:.1f} KB each")
    for stream in streams:
        stream.close()


asyncio.run(main())
