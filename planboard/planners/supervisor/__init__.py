"""The planner that lets a language model choose."""
