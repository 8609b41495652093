"""Planboard."""
