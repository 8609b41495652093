"""A guard before a server: only requests that carry the token get through."""

import hmac
from typing import Any

_REFUSAL = b"The token is missing or wrong. Send it as Authorization: Bearer TOKEN.\n"
_HEADERS = [
    (b"content-type", b"text/plain; charset=utf-8"),
    (b"content-length", str(len(_REFUSAL)).encode()),
    (b"www-authenticate", b"Bearer"),
]


class Guarded:
    """An ASGI application behind a bearer token. The time it takes to refuse tells nothing of the token.

    Args:
        app: What is guarded.
        token: What has to be sent.
    """

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass on a request, or refuse it."""
        if scope["type"] != "lifespan" and not self._is_let_in(scope):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await send({"type": "http.response.start", "status": 401, "headers": _HEADERS})
            await send({"type": "http.response.body", "body": _REFUSAL})
            return
        await self._app(scope, receive, send)

    def _is_let_in(self, scope: Any) -> bool:
        sent = [value for name, value in scope.get("headers", ()) if name == b"authorization"]
        kind, _, token = sent[0].partition(b" ") if len(sent) == 1 else (b"", b"", b"")
        return hmac.compare_digest(token.strip(), self._token) and kind.lower() == b"bearer"
