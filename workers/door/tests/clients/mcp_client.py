"""Runs PyPI `mcp` as a client of a door: each tool, a question back, progress, and a failure, in every revision that it
speaks, over HTTP and, where a command is given, over the stdin and stdout of that.

    python mcp_client.py http://127.0.0.1:8080/mcp [COMMAND ARGUMENT...]

The door serves the sample corpus with the offline reader. Works with mcp 2.x, and with 1.x in its one revision. It ends
with 1 where something is not as it should be.
"""

import asyncio
import importlib.metadata
import json
import sys

QUESTION = "What is the maximum collector-emitter voltage of the HV2N4410A?"
ANSWER = "45 V"
UNCLEAR = "What is it?"
REPLY = "the maximum collector-emitter voltage of the HV2N4410A"
VERSION = importlib.metadata.version("mcp")
IS_OLD = VERSION.startswith("1.")

failures = 0


def check(what, holds, seen=None):
    global failures
    print(f"{'ok  ' if holds else 'FAIL'} {what}" + ("" if holds else f": {seen!r}"))
    failures += not holds


def field(value, name):
    """A field by its name of either major version: `structuredContent` or `structured_content`."""
    snake = "".join("_" + c.lower() if c.isupper() else c for c in name)
    return getattr(value, snake, None) if hasattr(value, snake) else getattr(value, name, None)


async def talk(what, client, can_ask_back):
    tools = (await client.list_tools()).tools
    check(f"{what}: tools", [tool.name for tool in tools] == ["search", "fetch", "ask"], tools)

    found = await client.call_tool("search", {"query": QUESTION})
    data = field(found, "structuredContent")
    check(f"{what}: search", json.loads(found.content[0].text) == data and len(found.content) == 1, found)
    hit = next(one for one in data["results"] if ANSWER in one["text"])
    fetched = field(await client.call_tool("fetch", {"id": hit["id"]}), "structuredContent")
    check(f"{what}: fetch", fetched["text"] == hit["text"] and fetched["id"] == hit["id"], fetched)
    read = await client.read_resource(hit["url"])
    check(f"{what}: resource", hit["text"] in read.contents[0].text, read)

    told = []

    async def tell(progress, total, message):
        told.append((progress, message))

    answered = await client.call_tool("ask", {"question": QUESTION}, progress_callback=tell)
    data = field(answered, "structuredContent")
    check(f"{what}: answer", ANSWER in answered.content[0].text and ANSWER in data["answer"], answered)
    check(f"{what}: resource link", answered.content[1].type == "resource_link", answered)
    check(f"{what}: progress", len(told) >= 3 and told == sorted(told), told)

    back = await client.call_tool("ask", {"question": UNCLEAR})
    if not can_ask_back:
        turn = field(back, "structuredContent")["turn"]
        check(f"{what}: a question back as text", "reply_to" in back.content[0].text, back)
        back = await client.call_tool("ask", {"question": REPLY, "reply_to": turn})
    check(f"{what}: the answer after a question back", ANSWER in back.content[0].text, back)

    failed = await client.call_tool("fetch", {"id": "none"})
    check(f"{what}: a failure", field(failed, "isError") and "not_found" in failed.content[0].text, failed)


async def newer(url, command):
    from mcp import Client, StdioServerParameters, types

    asked = []

    async def reply(context, params):
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"reply": REPLY})

    servers = [("http", url)]
    if command:
        servers.append(("stdio", StdioServerParameters(command=command[0], args=command[1:])))
    for place, server in servers:
        for mode, version in [("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"), ("legacy", "2025-11-25")]:
            asked.clear()
            async with Client(server, mode=mode, elicitation_callback=reply) as client:
                what = f"{place} {mode}"
                check(f"{what}: version", client.protocol_version == version, client.protocol_version)
                await talk(what, client, version == "2026-07-28")
                check(f"{what}: the user was asked", bool(asked) == (version == "2026-07-28"), asked)


async def older(url, command):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    places = [("http", streamablehttp_client(url))]
    if command:
        places.append(("stdio", stdio_client(StdioServerParameters(command=command[0], args=command[1:]))))
    for place, connection in places:
        async with connection as streams, ClientSession(streams[0], streams[1]) as client:
            begun = await client.initialize()
            check(f"{place}: version", begun.protocolVersion == "2025-11-25", begun.protocolVersion)
            await talk(place, client, False)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(f"mcp {VERSION}")
    asyncio.run((older if IS_OLD else newer)(sys.argv[1], sys.argv[2:]))
    print(f"{failures} failures")
    sys.exit(failures > 0)


main()
