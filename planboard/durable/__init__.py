"""Engines that carry processes on over many machines; each is an extra, and none is loaded before it is named."""
