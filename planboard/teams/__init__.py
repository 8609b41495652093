"""Teams: agents that are made of other agents."""
