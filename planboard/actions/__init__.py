"""How users declare what can be done: actions, conditions, goals, states."""
