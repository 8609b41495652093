"""What the members of a team say to each other: typed entries on the board, which are only ever appended."""

from collections.abc import Iterable
from typing import Literal, TypeGuard

from pydantic import BaseModel, ConfigDict

from planboard.llm.port import Message as ModelMessage

USER = "user"
"""The author of what a team was asked."""


class Message(BaseModel):
    """Something that was said in a team. The shared history of a team is the messages on its board, oldest first.

    A member that takes `list[Message]` is given the history; one that returns a `Message`, or several, appends to it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    author: str
    """Who says it: `"user"`, or the name of a member."""
    content: str
    kind: Literal["said", "hand_off", "inner"] = "said"
    """`"said"`: for all. `"hand_off"`: that work was given to somebody, or given back. `"inner"`: what a member did on
    its way, such as the results of its tools."""
    to: str | None = None
    """To whom a hand-off was made."""

    def __str__(self) -> str:
        to = f" -> {self.to}" if self.to else ""
        return f"{self.author}{to}: {self.content}"


def is_talk(value: object) -> TypeGuard[list[Message]]:
    """Tell whether a value is a list of messages."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, Message) for item in value)


def as_spoken(messages: Iterable[Message], speaker: str) -> tuple[ModelMessage, ...]:
    """Return messages as a model is told them that speaks for one member.

    What others have said comes as a user's message under the name of its author, so that no text of theirs can pass
    for the member's own words, nor for instructions of the system. So do hand-offs.
    """
    return tuple(_spoken(message, speaker) for message in messages)


def _spoken(message: Message, speaker: str) -> ModelMessage:
    if message.kind == "hand_off":
        return ModelMessage("user", f"[{message.author} -> {message.to}] {message.content}")
    if message.kind == "said" and message.author == speaker:
        return ModelMessage("assistant", message.content)
    return ModelMessage("user", message.content if message.author == USER else f"[{message.author}] {message.content}")
