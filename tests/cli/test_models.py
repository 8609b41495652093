"""Models from the command line: the server and the model are named for one command, and nothing else."""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

PROGRAM = '''
from pydantic import BaseModel
from planboard import Agent, Ai, achieves_goal, action


class Topic(BaseModel):
    text: str


class Report(BaseModel):
    text: str


@achieves_goal("A report")
@action
async def write(topic: Topic, ai: Ai) -> Report:
    """Write it."""
    return Report(text=await ai.text(topic.text))


agent = Agent("writer", [write])
'''
ANSWER = (
    b'{"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [{"index": 0, '
    b'"finish_reason": "stop", "message": {"role": "assistant", "content": "done"}}]}'
)


@pytest.fixture
def server():
    """A server on this machine that answers every request the same."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(ANSWER)

        def log_message(self, *_):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}/v1", seen
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.fixture
def writer(tmp_path, monkeypatch):
    monkeypatch.delenv("PLANBOARD_MODEL", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file = tmp_path / "writer.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return str(file)


def test_the_server_and_the_model_are_named_for_one_command(cli, server, writer):
    address, seen = server

    done = cli("run", writer, "-i", "text=tides", "-q", "--model", "small", "--base-url", address)

    assert (done.exit_code, '"text": "done"' in done.stdout) == (0, True)
    assert seen[0][0] == "/v1/chat/completions"
    assert b'"model":"small"' in seen[0][1].replace(b" ", b"")
    assert "PLANBOARD_MODEL" not in os.environ


def test_a_supervisor_uses_them_too(cli, server, writer):
    address, seen = server

    done = cli("run", writer, "-i", "text=x", "-q", "--planner", "supervisor", "--model", "m", "--base-url", address)

    assert done.exit_code == 0
    assert len(seen) == 1


def test_without_a_model_it_says_what_to_do(cli, writer):
    done = cli("run", writer, "-i", "text=tides", "-q")

    assert done.exit_code == 4
    assert "Set PLANBOARD_MODEL" in done.stderr


def test_a_budget_of_requests_ends_the_run(cli, server, writer):
    address, seen = server
    words = ("--model", "m", "--base-url", address, "--max-llm-calls", "0")

    done = cli("run", writer, "-i", "text=tides", "-q", *words)

    assert done.exit_code == 5
    assert seen == []


def test_the_plan_of_a_supervisor_is_the_question_it_would_ask(cli, writer):
    done = cli("plan", writer, "-p", "supervisor")

    assert "A model is asked (decision 1)" in done.stdout
    assert "- write: the model gives topic" in done.stdout
