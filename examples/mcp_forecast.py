"""A forecast that uses a tool of an MCP server, and is a tool itself.

Shows both sides of the Model Context Protocol: `from_mcp` makes an action of a tool, with types on both ends, and
`to_mcp` serves an agent's goal as a tool, with progress. The server and the client are in this program, so nothing is
started; served to other programs it is `planboard mcp examples/mcp_forecast.py`. Needs `pip install 'planboard[mcp]'`.
"""

import asyncio

from mcp import Client
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

from planboard import Agent, achieves_goal, action, from_mcp, to_mcp

WET = 0.4
station = MCPServer("station")


@station.tool()
def measure(city: str) -> dict[str, float]:
    """Measure the air."""
    return {"degrees": 30.0 - len(city), "humidity": 0.25 * (len(city) % 4)}


class Place(BaseModel):
    city: str


class Air(BaseModel):
    degrees: float
    humidity: float


class Forecast(BaseModel):
    markdown: str


measured = from_mcp(station).action("measure", takes=Place, returns=Air, cost=0.1, read_only=True)


@achieves_goal("What the weather will be")
@action
def foretell(place: Place, air: Air) -> Forecast:
    rain = "rain" if air.humidity > WET else "no rain"
    return Forecast(markdown=f"**{place.city}**: {air.degrees:g} °C, {rain}")


agent = Agent("forecast", [measured, foretell])


async def use() -> None:
    async def progress(number: float, total: float | None, message: str | None) -> None:
        print(f"  {message}")

    async with Client(to_mcp(agent)) as client:
        (tool,) = (await client.list_tools()).tools
        print(f"{tool.name}: {tool.description}")
        for city in ("Oslo", "Bergen"):
            result = await client.call_tool(tool.name, {"place": {"city": city}}, progress_callback=progress)
            print(result.content[0].text)
        refused = await client.call_tool(tool.name, {"place": {"town": "Oslo"}})
        print(refused.content[0].text)


def main() -> None:
    asyncio.run(use())


if __name__ == "__main__":
    main()
