#!/usr/bin/env python3
"""Runs unchanged OpenAI clients against a door and checks what they make of it.

    argosy serve --corpus tests/fixtures/corpus --listen 127.0.0.1:8101
    python3 openai_clients.py http://127.0.0.1:8101 [openai] [langchain] [llama_index]

Without names it runs all three. They cannot live in one environment: llama-index-llms-openai wants openai < 3, so

    python3 -m venv a && a/bin/pip install 'openai>=3' langchain-openai
    python3 -m venv b && b/bin/pip install llama-index-llms-openai-like

The first check that does not hold ends the run with a traceback and another exit code than 0.
"""

import asyncio
import importlib.metadata
import sys
import time

QUESTION = "What is the maximum collector-emitter voltage of the HV2N4410A?"
ANSWER = "45 V"
UNCLEAR = "What is the total?"
MEANT = "invoice BS-88214"
TOTAL = "4,933.20 EUR"


def user(text):
    return {"role": "user", "content": text}


def has_sources(text):
    assert ANSWER in text, text
    assert "\n\nSources:\n- [1] [" in text and "/?turn=" in text and "#citation-1)" in text, text


def fails(expected, call):
    """The error of a call, which must be of this class."""
    try:
        call()
    except expected as error:
        return error
    raise AssertionError(f"want {expected.__name__}")


def openai_client(base):
    import openai

    client = openai.OpenAI(base_url=f"{base}/v1", api_key="any")
    ids = [model.id for model in client.models.list()]
    assert ids[0] == "argosy" and "argosy/datasheets" in ids, ids
    for one in ids:
        assert client.models.retrieve(one).id == one

    complete = client.chat.completions.create
    whole = complete(model="argosy", messages=[user(QUESTION)], temperature=0, max_tokens=9, seed=1)
    choice = whole.choices[0]
    has_sources(choice.message.content)
    assert choice.finish_reason == "stop" and whole.usage.total_tokens > 0
    cited = choice.message.annotations[0].url_citation
    assert choice.message.content[cited.start_index : cited.end_index] == "[1]"
    assert cited.url in choice.message.content
    assert choice.message.model_extra["citations"][0]["quote"]

    text, usage, annotations = "", None, []
    chunks = complete(
        model="argosy", messages=[user(QUESTION)], stream=True, stream_options={"include_usage": True}
    )
    for chunk in chunks:
        usage = chunk.usage or usage
        for part in chunk.choices:
            text += part.delta.content or ""
            annotations += (part.delta.model_extra or {}).get("annotations", [])
            finish = part.finish_reason
    has_sources(text)
    assert usage.total_tokens > 0 and finish == "stop" and annotations
    # Whoever has not asked for the usage may read `choices[0]` of every chunk.
    text = "".join(
        chunk.choices[0].delta.content or ""
        for chunk in complete(model="argosy-simple", messages=[user(QUESTION)], stream=True)
    )
    has_sources(text)
    with client.chat.completions.stream(model="argosy", messages=[user(QUESTION)]) as stream:
        for _ in stream:
            pass
        has_sources(stream.get_final_completion().choices[0].message.content)

    asked = complete(model="argosy", messages=[user(UNCLEAR)]).choices[0].message
    history = [user(UNCLEAR), {"role": "assistant", "content": asked.content}, user(MEANT)]
    assert TOTAL in complete(model="argosy", messages=history).choices[0].message.content
    talk = {"conversation": f"c-{time.time_ns()}"}
    complete(model="argosy", messages=[user(UNCLEAR)], extra_body=talk)
    reply = complete(model="argosy", messages=[user(MEANT)], metadata=talk)
    assert TOTAL in reply.choices[0].message.content

    openai_responses(client)
    openai_errors(openai, client, base)
    asyncio.run(openai_async(openai, base))


def openai_responses(client):
    response = client.responses.create(model="argosy", input=QUESTION, instructions="x")
    has_sources(response.output_text)
    assert response.status == "completed" and response.usage.total_tokens > 0
    assert response.output[0].content[0].annotations[0].type == "url_citation"
    events = list(client.responses.create(model="argosy", input=[user(QUESTION)], stream=True))
    assert events[0].type == "response.created" and events[-1].type == "response.completed"
    assert [event.sequence_number for event in events] == list(range(len(events)))
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    has_sources(text)
    assert events[-1].response.output_text == text
    # The client's own accumulator is strict about the order of events.
    with client.responses.stream(model="argosy", input=QUESTION) as stream:
        for _ in stream:
            pass
        has_sources(stream.get_final_response().output_text)
    asked = client.responses.create(model="argosy", input=UNCLEAR)
    history = [user(UNCLEAR), *[item.model_dump() for item in asked.output], user(MEANT)]
    assert TOTAL in client.responses.create(model="argosy", input=history).output_text
    talk = f"c-{time.time_ns()}"
    client.responses.create(model="argosy", input=UNCLEAR, conversation=talk)
    reply = client.responses.create(model="argosy", input=MEANT, conversation=talk)
    assert TOTAL in reply.output_text and reply.conversation.id == talk


def openai_errors(openai, client, base):
    messages = [user(QUESTION)]
    complete = client.chat.completions.create
    error = fails(openai.NotFoundError, lambda: complete(model="gpt-9", messages=messages))
    assert error.code == "model_not_found" and error.param == "model", error
    error = fails(openai.BadRequestError, lambda: complete(model="argosy", messages=messages, n=2))
    assert error.param == "n", error
    image = [{"type": "image_url", "image_url": {"url": "http://x/y.png"}}]
    error = fails(
        openai.BadRequestError,
        lambda: complete(model="argosy", messages=[{"role": "user", "content": image}]),
    )
    assert "image_url" in error.message
    error = fails(openai.BadRequestError, lambda: complete(model="argosy-tasks", messages=messages))
    assert "task" in error.message
    fails(openai.NotFoundError, lambda: client.embeddings.create(model="argosy", input="x"))
    fails(
        openai.BadRequestError,
        lambda: client.responses.create(model="argosy", input="x", previous_response_id="resp_1"),
    )
    # A conflict is not tried again, and in a stream it is raised.
    key = {"Idempotency-Key": f"k-{time.time_ns()}"}
    complete(model="argosy", messages=messages, extra_headers=key)
    begun = time.monotonic()
    error = fails(
        openai.ConflictError, lambda: complete(model="argosy", messages=[user("x")], extra_headers=key)
    )
    assert error.code == "id_in_use" and time.monotonic() - begun < 0.4, error
    chunks = complete(model="argosy", messages=[user("x")], extra_headers=key, stream=True)
    error = fails(openai.APIError, lambda: list(chunks))
    assert error.code == "id_in_use", error
    events = list(
        client.responses.create(model="argosy", input="x", stream=True, extra_headers=key)
    )
    assert events[-1].type == "response.failed", events
    assert "id_in_use" in events[-1].response.error.message


async def openai_async(openai, base):
    client = openai.AsyncOpenAI(base_url=f"{base}/v1", api_key="any")
    asking = [
        client.chat.completions.create(model="argosy", messages=[user(QUESTION)]) for _ in range(4)
    ]
    for whole in await asyncio.gather(*asking):
        has_sources(whole.choices[0].message.content)
    await client.close()


def langchain(base):
    import openai
    from langchain_openai import ChatOpenAI

    def chat(**more):
        return ChatOpenAI(model="argosy", base_url=f"{base}/v1", api_key="any", **more)

    for of in (chat(), chat(use_responses_api=True)):
        has_sources(of.invoke(QUESTION).text)
        whole = None
        for chunk in of.stream(QUESTION):
            whole = chunk if whole is None else whole + chunk
        has_sources(whole.text)
        asked = of.invoke(UNCLEAR)
        assert TOTAL in of.invoke([("user", UNCLEAR), asked, ("user", MEANT)]).text
    message = chat().invoke(QUESTION)
    assert message.usage_metadata["total_tokens"] > 0 and "citations" not in message.additional_kwargs
    # A tool that may be called is not called; one that must be, and JSON, are refused.
    tool = {"name": "look", "description": "x", "parameters": {"type": "object", "properties": {}}}
    has_sources(chat().bind_tools([tool]).invoke(QUESTION).text)
    forced = chat().bind_tools([tool], tool_choice="any")
    fails(openai.BadRequestError, lambda: forced.invoke(QUESTION))
    shaped = chat().with_structured_output({**tool, "title": "look"}, method="json_schema")
    fails(openai.BadRequestError, lambda: shaped.invoke(QUESTION))


def llama_index(base):
    from llama_index.core.llms import ChatMessage
    from llama_index.llms.openai_like import OpenAILike

    llm = OpenAILike(model="argosy", api_base=f"{base}/v1", api_key="any", is_chat_model=True)
    has_sources(llm.complete(QUESTION).text)
    has_sources(llm.chat([ChatMessage(role="user", content=QUESTION)]).message.content)
    streamed = list(llm.stream_chat([ChatMessage(role="user", content=QUESTION)]))
    has_sources(streamed[-1].message.content)
    asked = llm.chat([ChatMessage(role="user", content=UNCLEAR)]).message
    history = [ChatMessage(role="user", content=UNCLEAR), asked, ChatMessage(role="user", content=MEANT)]
    assert TOTAL in llm.chat(history).message.content


CLIENTS = {
    "openai": (openai_client, ["openai"]),
    "langchain": (langchain, ["langchain-openai", "openai"]),
    "llama_index": (llama_index, ["llama-index-llms-openai-like", "openai"]),
}


def main():
    if len(sys.argv) < 2 or any(name not in CLIENTS for name in sys.argv[2:]):
        sys.exit(__doc__)
    base = sys.argv[1].rstrip("/")
    for name in sys.argv[2:] or CLIENTS:
        check, packages = CLIENTS[name]
        check(base)
        versions = [f"{package} {importlib.metadata.version(package)}" for package in packages]
        print(f"{name}: ok ({', '.join(versions)})")


if __name__ == "__main__":
    main()
