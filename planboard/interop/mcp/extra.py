"""The extra `mcp`: whether the official SDK is there, asked only where it is needed."""

_MESSAGE = "{what} needs the MCP SDK, version 2 or later, which is not installed: pip install 'planboard[mcp]'"


def need_sdk(what: str) -> None:
    """Make sure that the SDK is installed.

    Args:
        what: What needs it, for the message.

    Raises:
        ImportError: It is not there, or too old; the message says what to type.
    """
    try:
        from mcp import Client  # noqa: F401 - version 1 has none
    except ImportError as error:
        raise ImportError(_MESSAGE.format(what=what), name="mcp") from error
