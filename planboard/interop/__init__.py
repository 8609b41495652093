"""Bridges to other systems; each is an extra, and none is loaded before it is imported by name."""
