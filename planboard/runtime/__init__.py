"""Running agents: a pure process core, and the asyncio driver that carries out what it decides."""
