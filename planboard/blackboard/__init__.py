"""The shared, typed, append-only memory of a run."""
