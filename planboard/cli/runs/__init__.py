"""Commands for runs that are kept: in a journal file, or on a Temporal server."""
