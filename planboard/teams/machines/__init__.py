"""State machines: agents of `@state` classes whose graph is checked and drawn."""
