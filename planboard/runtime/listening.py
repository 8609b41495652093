"""How a process hears what people say to it: here and now, or from a journal in which they left it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING, Any

from planboard._text import brief
from planboard.errors import (
    AlreadyAnsweredError,
    CorruptJournalError,
    EntryTypeError,
    InvalidAnswerError,
    UnknownRequestError,
)
from planboard.runtime.exclusive import is_run_elsewhere, root_of
from planboard.runtime.keeping import CANCEL, OUTCOME
from planboard.runtime.open_calls import OpenCall
from planboard.runtime.requests import Answer, Approve, Decision, Deny, Edit, Finished

if TYPE_CHECKING:
    from planboard.runtime.process import Process


@contextmanager
def _owned(process: "Process") -> Iterator[bool]:
    """Own the run that a process is part of, and tell whether that worked: somebody else may go on with it."""
    root = root_of(process)
    with root._ear.lock:  # noqa: SLF001 - no other thread begins to run it meanwhile
        keeper = root._keeper  # noqa: SLF001
        if keeper is None or root._executor is not None:  # noqa: SLF001
            yield not is_run_elsewhere(root)
            return
        mine = keeper.try_to_claim()
        try:
            root._catch_up(keeper.news())  # noqa: SLF001
            yield mine
        finally:
            keeper.release()


def _reason_in(word: Any) -> str:
    return str(word.get("reason", "cancelled")) if isinstance(word, dict) else "cancelled"


_EXPIRED = {"decision": "expired"}


class Ear:
    """Takes the answers to the requests of one process, each once, whoever gives it."""

    __slots__ = ("_heard", "_process", "lock")

    def __init__(self, process: "Process") -> None:
        self._process = process
        self._heard = 0
        self.lock = RLock()
        """Held by the thread that changes the process from outside, or begins or ceases to run it."""

    def respond(self, request_id: str, given: Any, by: str = "") -> None:
        """Take an answer.

        With a journal it is left there first: then it is not lost, and a second one is refused even if it comes from
        another program. If somebody else goes on with the run just now they will find it there.
        """
        process = self._process
        people, keeper = process._core.people, process._keeper  # noqa: SLF001
        if keeper is None or keeper.kept == 0:
            call = people.find(request_id)
            people.decide(call, people.read(call, given), by)
            return
        with _owned(process) as mine:
            self.catch_up()
            if mine:
                self.listen()
            call = people.find(request_id)
            decision = people.read(call, given)
            try:
                written = self._written(decision)
            except EntryTypeError as error:
                message = f"That does not answer {request_id!r}, for it cannot be kept: {error}"
                raise InvalidAnswerError(request_id, message) from error
            keeper.post(request_id, written | ({"by": by} if by else {}))
            if mine:
                people.decide(call, decision, by)
                if process._executor is None:  # noqa: SLF001
                    process._flush()  # noqa: SLF001

    def catch_up(self) -> None:
        """Take in what has happened in another program, unless the run goes on here."""
        process, keeper = self._process, self._process._keeper  # noqa: SLF001
        if keeper is None or not keeper.kept or is_run_elsewhere(process):
            return
        if process._executor is None:  # noqa: SLF001
            process._catch_up(keeper.news())  # noqa: SLF001

    def may_expire(self, request_id: str) -> bool:
        """Tell whether a request may expire now; an answer that was left in time is taken instead.

        The place of the answer is taken first, so that nobody is told that one counts which comes too late.
        """
        keeper = self._process._keeper  # noqa: SLF001
        if keeper is None or keeper.kept == 0 or keeper.mail().get(request_id) == _EXPIRED:
            return True
        try:
            keeper.post(request_id, _EXPIRED)
        except AlreadyAnsweredError:
            self.listen()
            return keeper.mail().get(request_id) == _EXPIRED
        return True

    def told_to_stop(self) -> str | None:
        """Return why the run shall be cancelled, if word of that was left in the journal."""
        keeper = self._process._keeper  # noqa: SLF001
        mail = keeper.mail() if keeper is not None and keeper.kept else {}
        return _reason_in(mail[CANCEL]) if CANCEL in tuple(mail)[self._heard :] else None

    def leave_word(self, reason: str) -> None:
        """Leave word in the journal that the run shall be cancelled, for whoever goes on with it; once is enough."""
        keeper = self._process._keeper  # noqa: SLF001
        assert keeper is not None  # noqa: S101 - nobody else can have claimed it without a journal
        with suppress(AlreadyAnsweredError):
            keeper.post(CANCEL, {"reason": reason})

    def said(self) -> frozenset[str]:
        """Return the requests to which an answer was left in the journal."""
        keeper = self._process._keeper  # noqa: SLF001
        return frozenset() if keeper is None or keeper.kept == 0 else frozenset(keeper.mail())

    def listen(self) -> None:
        """Take in what was left in the journal."""
        process = self._process
        keeper, people = process._keeper, process._core.people  # noqa: SLF001
        if keeper is None or keeper.kept == 0:
            return
        mail = keeper.mail()
        if process.status.is_final:
            self._heard = len(mail)  # should the run go on with something new, it was not said about that
            return
        for request_id, body in tuple(mail.items())[self._heard :] if len(mail) > self._heard else ():
            self._heard += 1
            if request_id == CANCEL:
                process._core.cancel(_reason_in(body))  # noqa: SLF001
                continue
            if request_id.startswith(OUTCOME) or request_id in process._core.state.answered or body == _EXPIRED:  # noqa: SLF001
                continue
            try:
                call = people.find(request_id, in_time=True)  # else it would not have been left
            except UnknownRequestError:
                continue  # it has expired for good, or was withdrawn
            people.decide(call, self._read(call, body), str(body.get("by", "")))

    def _written(self, decision: Decision) -> dict[str, Any]:
        keeper = self._process._keeper  # noqa: SLF001
        assert keeper is not None  # noqa: S101 - only called with a journal
        encode = keeper.codec.values.encode
        match decision:
            case Answer(value):
                return {"decision": "answer", "value": encode(value)}
            case Finished(value):
                return {"decision": "finished", "value": encode(value)}
            case Edit():
                arguments = {name: encode(value) for name, value in decision.arguments.items()}
                return {"decision": "edit", "arguments": arguments}
            case Deny(reason):
                return {"decision": "deny", "reason": reason}
            case Approve():
                return {"decision": "approve"}

    def _read(self, call: OpenCall, body: Any) -> Decision:
        """Return what was left, as strictly as if it had just been said."""
        process = self._process
        keeper = process._keeper  # noqa: SLF001
        assert keeper is not None and call.request is not None  # noqa: S101, PT018 - it comes from a journal
        decode = keeper.codec.values.decode
        try:
            match body:
                case {"decision": "answer", "value": value}:
                    given: Any = decode(value)
                case {"decision": "finished", "value": value}:
                    given = Finished(decode(value))
                case {"decision": "edit", "arguments": dict(arguments)}:
                    given = Edit(**{str(name): decode(value) for name, value in arguments.items()})
                case {"decision": "deny", "reason": str(reason)}:
                    given = Deny(reason)
                case {"decision": "approve"}:
                    given = Approve()
                case _:
                    message = f"the decision is {brief(body)}"
                    raise EntryTypeError(message)
            return process._core.people.read(call, given)  # noqa: SLF001
        except (EntryTypeError, ValueError) as error:
            message = f"The answer to {call.request.id!r} that is kept cannot be read: {error}"
            raise CorruptJournalError(process.id, message) from error
