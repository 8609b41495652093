"""Language models: what is asked of them, real and scripted ones, and what actions are given to work with them.

Importing this package loads no client library: openai and instructor are imported by the first request that needs
them.
"""
