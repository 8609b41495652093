"""Watching runs: listeners that tell people, or other tools, what happens while it happens."""
