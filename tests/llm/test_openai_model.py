"""Models behind an OpenAI-compatible server: what goes out, and what is made of whatever comes back."""

import asyncio
import json

import httpx2
import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel

from planboard import (
    Ai,
    DefinitionError,
    ModelError,
    ModelUnavailableError,
    OpenAIModel,
)
from planboard.llm.port import Message, ModelRequest, Tool

KEY = "sk-hunter2"
REQUEST = ModelRequest((Message("user", "潮汐?"),), (Tool("find", "Find.", strict=True),), parallel=False)
HELLO = {
    "id": "x", "object": "chat.completion", "created": 0, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hello"}}],
    "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
}  # fmt: skip


class Person(BaseModel):
    name: str
    age: int


class Server:
    """Answers with one response after the other, the last one again and again, and records what came."""

    def __init__(self, *responses):
        self.responses = list(responses)
        self.bodies = []
        self.headers = []

    def __call__(self, request):
        self.bodies.append(json.loads(request.content))
        self.headers.append(dict(request.headers))
        response = self.responses.pop(0) if len(self.responses) > 1 else self.responses[0]
        if isinstance(response, Exception):
            raise response
        return response if isinstance(response, httpx2.Response) else httpx2.Response(200, json=response)


def model_at(server, **settings):
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(server))
    client = AsyncOpenAI(api_key=KEY, base_url="http://model.test/v1", http_client=http, max_retries=0)

    async def wait(seconds):
        settings["waited"].append(seconds) if "waited" in settings else None

    kept = {key: value for key, value in settings.items() if key != "waited"}
    return OpenAIModel("m", "http://model.test/v1", KEY, client=client, sleep=wait, **kept)


def complete(model, request=REQUEST):
    return asyncio.run(model.complete(request))


def failed(status, message="no", **headers):
    return httpx2.Response(status, json={"error": {"message": message}}, headers=headers)


def test_a_request_goes_out_as_it_is():
    server = Server(HELLO)
    complete(model_at(server))

    assert server.bodies[0] == {**REQUEST.to_wire(), "model": "m"}


def test_the_strict_flag_of_a_tool_goes_out():
    """Case 132."""
    server = Server(HELLO)
    complete(model_at(server))

    assert server.bodies[0]["tools"][0]["function"]["strict"] is True


def test_a_reply_tells_text_and_usage():
    reply = complete(model_at(Server(HELLO), prices=(1.0, 2.0)))

    assert (reply.text, reply.usage.prompt_tokens, reply.usage.completion_tokens) == ("hello", 11, 3)
    assert reply.usage.cost == pytest.approx(17e-6)


def test_usage_that_is_missing_is_estimated():
    reply = complete(model_at(Server({**HELLO, "usage": None})))

    assert reply.usage.tokens > 0


def test_calls_come_back_as_the_model_wrote_them():
    called = {"id": "c", "type": "function", "function": {"name": "find", "arguments": "{oops"}}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [called]}}

    reply = complete(model_at(Server({**HELLO, "choices": [choice]})))

    assert [(one.id, one.name, one.arguments) for one in reply.calls] == [("c", "find", "{oops")]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_transient_errors_are_tried_again(status):
    """Case 171."""
    server = Server(failed(status), failed(status), HELLO)

    assert complete(model_at(server)).text == "hello"
    assert len(server.bodies) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_other_errors_are_not_tried_again(status):
    """Case 171."""
    server = Server(failed(status, "the model does not exist"))

    with pytest.raises(ModelError, match=rf"refused the request \({status}\): .*does not exist"):
        complete(model_at(server))

    assert len(server.bodies) == 1


def test_after_all_attempts_the_error_says_how_often_it_was_tried():
    server = Server(failed(500, "oops"))

    with pytest.raises(ModelUnavailableError, match="answered 500: .*tried 3 times"):
        complete(model_at(server))

    assert len(server.bodies) == 3


def test_the_server_says_how_long_to_wait():
    waited = []
    complete(model_at(Server(failed(429, **{"retry-after": "7"}), failed(429), HELLO), waited=waited))

    assert waited == [7.0, 1.0]


def test_a_server_that_cannot_be_reached_is_named():
    server = Server(httpx2.ConnectError("refused"))

    with pytest.raises(ModelUnavailableError, match="cannot be reached at http://model.test/v1. Is it running?"):
        complete(model_at(server, retries=0))


def test_a_server_that_is_too_slow_is_given_up():
    with pytest.raises(ModelUnavailableError, match="in time"):
        complete(model_at(Server(httpx2.ReadTimeout("slow")), retries=0))


@pytest.mark.parametrize(
    "body",
    [
        httpx2.Response(200, text="<html>hello</html>", headers={"content-type": "text/html"}),
        httpx2.Response(200, text="{broken", headers={"content-type": "application/json"}),
        httpx2.Response(200, json={"choices": []}),
        httpx2.Response(200, json={"choices": None}),
        httpx2.Response(200, json=[]),
        httpx2.Response(200, json={"error": "no"}),
        httpx2.Response(200, text="", headers={"content-type": "application/json"}),
    ],
    ids=["html", "broken", "no choices", "null choices", "list", "error", "empty"],
)
def test_an_answer_in_another_language_is_a_typed_error(body):
    with pytest.raises(ModelError):
        complete(model_at(Server(body)))


@pytest.mark.parametrize("content", [None, "", 7, [{"type": "text"}]])
def test_content_that_is_no_text_is_none(content):
    message = {"role": "assistant", "content": content}
    answer = {**HELLO, "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}

    assert complete(model_at(Server(answer))).text == ""


def test_an_object_is_made_through_the_same_server():
    called = {"id": "c", "type": "function", "function": {"name": "Person", "arguments": '{"name": "Ada", "age": 36}'}}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "tool_calls": [called]}}
    server = Server({**HELLO, "choices": [choice]})

    assert asyncio.run(Ai(model_at(server)).create("Who?", Person)) == Person(name="Ada", age=36)
    assert server.bodies[0]["model"] == "m"


def test_a_server_error_is_not_asked_again_as_if_the_answer_were_wrong():
    server = Server(failed(500))

    with pytest.raises(ModelUnavailableError):
        asyncio.run(Ai(model_at(server, retries=0)).create("Who?", Person))

    assert len(server.bodies) == 1


def sse(*chunks):
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return httpx2.Response(200, text="".join(lines) + "data: [DONE]\n\n", headers={"content-type": "text/event-stream"})


def piece(text):
    delta = {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}
    return {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "delta": delta}],
    }


def test_an_object_is_streamed():
    end = {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [],
        "usage": HELLO["usage"],
    }
    server = Server(sse(piece('{"name": "A'), piece('da", "age"'), piece(": 36}"), end))

    async def collect():
        return [partial async for partial in Ai(model_at(server)).stream("Who?", Person)]

    partials = asyncio.run(collect())
    assert partials[0].name == "A"
    assert partials[-1] == Person(name="Ada", age=36)
    assert server.bodies[0]["stream_options"] == {"include_usage": True}


def test_a_stream_that_is_refused_is_a_typed_error():
    async def collect():
        return [partial async for partial in Ai(model_at(Server(failed(401)))).stream("Who?", Person)]

    with pytest.raises(ModelError, match="401"):
        asyncio.run(collect())


def test_the_key_is_in_no_message_and_no_repr():
    """Case 165."""
    model = model_at(Server(failed(401, f"wrong key {KEY}")))

    with pytest.raises(ModelError) as caught:
        complete(model)

    assert KEY not in str(caught.value) + repr(model)


def test_the_environment_names_what_is_not_given(monkeypatch):
    monkeypatch.setenv("PLANBOARD_MODEL", "small")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")

    assert (OpenAIModel().name, OpenAIModel().base_url) == ("small", "http://localhost:1/v1")


def test_what_is_given_wins_over_the_environment(monkeypatch):
    monkeypatch.setenv("PLANBOARD_MODEL", "small")

    assert OpenAIModel("large").name == "large"


def test_a_model_without_a_name_says_what_to_do_at_the_first_request(monkeypatch):
    monkeypatch.delenv("PLANBOARD_MODEL", raising=False)

    with pytest.raises(DefinitionError, match=r"Set PLANBOARD_MODEL.*ScriptedModel"):
        complete(OpenAIModel(base_url="http://localhost:1/v1"))


def test_a_missing_key_says_what_to_do_at_the_first_request(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    with pytest.raises(DefinitionError, match="Set OPENAI_API_KEY"):
        complete(OpenAIModel("m"))


def test_more_fields_go_out_as_the_server_knows_them():
    server = Server(HELLO)
    complete(model_at(server, extra={"seed": 7}, temperature=0.5))

    assert (server.bodies[0]["seed"], server.bodies[0]["temperature"]) == (7, 0.5)


def test_one_model_serves_several_event_loops_one_after_the_other(monkeypatch):
    """Each has connections of its own, which are closed with it."""
    from planboard.llm.openai_llm import close_models

    model = OpenAIModel("m", "http://localhost:1/v1", retries=0)

    async def once():
        client = model._connected()
        await close_models()
        return client

    first, second = asyncio.run(once()), asyncio.run(once())

    assert first is not second
    assert first.is_closed()


@pytest.mark.parametrize("wrong", [{"timeout": 0}, {"retries": -1}])
def test_a_setting_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(DefinitionError, match=next(iter(wrong))):
        OpenAIModel("m", **wrong)


def test_a_setting_that_the_model_does_not_support_is_left_out_from_then_on():
    server = Server(failed(400, "Unsupported value: 'temperature' does not support 0.0"), HELLO)
    model = model_at(server, temperature=0.0)

    assert complete(model).text == "hello"
    complete(model)

    assert ["temperature" in body for body in server.bodies] == [True, False, False]


def test_a_limit_of_tokens_goes_out_under_its_other_name_where_that_is_wanted():
    server = Server(failed(400, "Use 'max_completion_tokens' instead of 'max_tokens'."), HELLO)
    complete(model_at(server), ModelRequest((Message("user", "x"),), max_tokens=7))

    assert server.bodies[1] == {
        "messages": [{"role": "user", "content": "x"}],
        "model": "m",
        "max_completion_tokens": 7,
    }


def test_a_bad_request_for_another_reason_is_not_sent_again():
    server = Server(failed(400, "tools[0].function.name is wrong"))

    with pytest.raises(ModelError, match="400"):
        complete(model_at(server, temperature=0.0))

    assert len(server.bodies) == 1
