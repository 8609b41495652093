"""Search for a cheapest plan, over integers: nothing in here knows what an action is."""
