"""A server with tools of all kinds; run as a program it is spoken to over standard input and output."""

import asyncio
import os
import sys
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ImageContent
from pydantic import BaseModel

server = MCPServer("toys")


class Weather(BaseModel):
    city: str
    degrees: float


@server.tool()
def weather(city: str, scale: str = "C") -> Weather:
    """Tell the weather."""
    return Weather(city=city, degrees={"C": 21.5, "F": 70.7}[scale])


@server.tool()
def cities() -> list[str]:
    return ["Oslo", "Bergen"]


@server.tool(structured_output=False)
def said() -> str:
    return 'Here you are: {"city": "Oslo", "degrees": 3}'


@server.tool(structured_output=False)
def picture() -> ImageContent:
    return ImageContent(data="aGk=", mime_type="image/png")


@server.tool()
def broken(text: str = "out of order") -> str:
    from mcp.server.mcpserver.exceptions import ToolError

    raise ToolError(text)


@server.tool()
def die() -> str:
    sys.stderr.write("I am dying\n")
    sys.stderr.flush()
    os._exit(3)


def leave_trace(name: str) -> None:
    Path(name).touch()


@server.tool()
async def slow() -> str:
    leave_trace("begun")
    try:
        await asyncio.sleep(60)
    finally:
        leave_trace("stopped")
    return "late"


@server.tool()
def environment() -> dict[str, str]:
    return dict(os.environ)


@server.tool()
def place() -> str:
    return str(Path.cwd())


@server.tool()
def process_id() -> int:
    return os.getpid()


@server.tool()
def login(user: str, password: str) -> str:
    return f"{user}:{password}"


@server.tool()
async def header(context: Context) -> str:
    return str(context.headers.get("x-key"))


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        import socket

        import uvicorn

        listening = socket.create_server(("127.0.0.1", 0))
        sys.stderr.write(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp\n")
        sys.stderr.flush()
        uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_config=None)).run(sockets=[listening])
    else:
        server.run()
