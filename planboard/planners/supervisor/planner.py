"""The Supervisor: a language model chooses which action comes next, among typed tools that the board allows."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from planboard._text import brief
from planboard.errors import DefinitionError
from planboard.llm.models import as_model
from planboard.llm.port import Message, ModelRequest, ToolCall
from planboard.planners.ask import Ask, Chosen, Offer, PlannerAnswer, Refused
from planboard.planners.base import Planner
from planboard.planners.conversation import Conversation
from planboard.planners.glance import Glance, _QuestionRaised
from planboard.planners.operator import NIRVANA, PlanGoal
from planboard.planners.plan import Plan
from planboard.planners.problem import Inquiry, Problem
from planboard.planners.supervisor.calls import read_call, same_call
from planboard.planners.supervisor.offers import offers_of
from planboard.planners.supervisor.outlook import Move, Outlook
from planboard.planners.supervisor.prompts import SYSTEM, Room, answers, digest, news
from planboard.planners.supervisor.relevance import Relevance
from planboard.planners.world import World

BeforeModel: TypeAlias = Callable[[ModelRequest], ModelRequest | Awaitable[ModelRequest]]
"""Changes a request before it goes out: to trim it, to summarise it, to add to it."""


@dataclass(frozen=True, slots=True)
class Supervisor(Planner):
    """Lets a language model choose among typed tools; the board decides which there are.

    Each action is a tool whose parameters that are on the board are curried away. A parameter whose type some action
    produces is never invented: its tool is not offered until the object is there. What no action produces the model
    builds, against its JSON schema. Only the goal on the board completes the run. Where one tool is left that needs
    nothing from the model, the model is not asked.

    It is pure like every planner: it answers a `Plan`, a `NoPlan`, or an `Ask`, which whoever drives the run carries
    out. What the model has decided is in the run's journal, so nothing is ever asked twice.

    When to choose this: the order depends on what the results say rather than on their types, and a request or a
    choice has to be worded. Where types alone fix the order, `Goap` finds the cheapest one without a model.
    """

    plans_ahead: ClassVar[bool] = False
    asks: ClassVar[bool] = True

    llm: Any = field(default=None, repr=False)
    """The model: a `LanguageModel`, the name of one, or several to fall back on. `None` for that of the process's
    `Ai`, else the one that the environment names."""
    context: Literal["digest", "transcript"] = "digest"
    """`"digest"`: each decision is a fresh prompt of bounded size. `"transcript"`: the conversation only grows, so
    that servers can reuse what they have read."""
    ask_when_forced: bool = False
    """Ask also where there is only one thing to do."""
    show_irrelevant: bool = False
    """Offer also what cannot help the goal any more, or would put it out of reach."""
    decisions: int = 25
    """How many questions a run may take; then it is TERMINATED, and may be told to go on."""
    repeats: int = 3
    """In how many turns the same call may be made, and how many turns in a row may start nothing."""
    calls_per_turn: int = 8
    """How many calls of one turn are looked at; more are refused."""
    parallel: bool = True
    """Whether the model may call several tools in one turn. Those that are independent run at once."""
    goal_description: str | None = None
    """What is wanted, in words; by default what the goals' authors say."""
    system: str = SYSTEM
    """The system prompt."""
    board_chars: int = 2000
    """How many characters of the board are shown: what the run was given, then the newest; others by type only."""
    artefact_chars: int = 600
    """How many characters of one artefact are shown."""
    temperature: float | None = 0.0
    """For the model; `None` for its own default."""
    before_model: BeforeModel | None = field(default=None, repr=False)
    """Called with each request before it goes out; it may be asynchronous."""

    def __post_init__(self) -> None:
        if self.llm is not None:
            as_model(self.llm)  # what is no model is refused here, and not when it is asked
        if self.context not in ("digest", "transcript"):
            message = f'Supervisor(context={self.context!r}): it is "digest" or "transcript".'
            raise DefinitionError(message)
        for name in ("decisions", "repeats", "calls_per_turn", "board_chars", "artefact_chars"):
            number = getattr(self, name)
            if not isinstance(number, int) or isinstance(number, bool) or number < 1:
                message = f"Supervisor({name}={number!r}): it is a whole number of at least 1."
                raise DefinitionError(message)

    @property
    def name(self) -> str:
        """What it is called: "supervisor"."""
        return "supervisor"

    def plan_to(self, problem: Problem, goal: PlanGoal) -> PlannerAnswer:
        """Return what comes next towards one goal."""
        return self.plan(Problem(problem.state, problem.domain, (goal,), problem.resolve))

    def plan(self, problem: Problem) -> PlannerAnswer:
        """Return what comes next: a forced move, a question to the model, or why there is nothing to do."""
        inquiry = Inquiry(problem)
        done = _satisfied(inquiry)
        if done is not None:
            return done
        outlook = Outlook(inquiry)
        moves = self._offered(outlook)
        goals = [goal for goal in problem.goals if goal is not NIRVANA]
        if not moves or not goals:
            goal = min(goals, key=lambda goal: (-goal.value, goal.name), default=NIRVANA)
            return Glance(inquiry, inquiry.world, None).nothing(goal)
        goal = min(goals, key=lambda goal: (-goal.value, goal.name))
        only = moves[0]
        if len(moves) == 1 and not self.ask_when_forced and not only.repeats and _is_ready(only):
            return Glance(inquiry, inquiry.world, None).forced(goal, only.operator)
        return self._ask(problem, goal, offers_of(moves, outlook.world))

    def read(self, call: ToolCall, problem: Problem) -> Chosen | Refused:
        """Return what a call of the model means as things stand now."""
        outlook = Outlook(Inquiry(problem))
        return read_call(call, offers_of(self._offered(outlook), outlook.world), outlook)

    def is_reached(self, problem: Problem) -> bool:
        """Tell whether a goal holds."""
        return _satisfied(Inquiry(problem)) is not None

    def _offered(self, outlook: Outlook) -> list[Move]:
        moves = outlook.moves()
        if self.show_irrelevant:
            return moves
        relevance = Relevance(outlook)
        helpful = relevance.helpful()
        useful = [move for move in moves if move.operator.name in helpful]
        return [move for move in useful if not relevance.is_dead_end(move.operator.name)]

    def _ask(self, problem: Problem, goal: PlanGoal, offers: dict[str, Offer]) -> Ask:
        world = problem.state if isinstance(problem.state, World) else None
        talk = None if world is None else world.conversation
        messages, prompt = self._messages(problem, talk)
        request = ModelRequest(
            messages=messages,
            tools=tuple(offer.tool for offer in offers.values()),
            tool_choice="required",
            parallel=self.parallel,
            temperature=self.temperature,
        )
        turns = 0 if talk is None else talk.asked_so_far
        seen = 0 if world is None else world.board.next_position
        return Ask(goal, request, offers, prompt, turns + 1, seen, self._over(talk))

    def _messages(self, problem: Problem, talk: Conversation | None) -> tuple[tuple[Message, ...], str]:
        room = Room(self.board_chars, self.artefact_chars)
        system = Message("system", self.system)
        if self.context == "digest":
            prompt = digest(problem, talk, room, self.goal_description)
            return (system, Message("user", prompt)), prompt
        turns = [] if talk is None else talk.turns
        prompt = news(problem, turns[-1], room) if turns else digest(problem, None, room, self.goal_description)
        said = [message for turn in turns for message in (Message("user", turn.prompt), *answers(turn))]
        spoken = (*said, Message("user", prompt))
        return (system, *(message for message in spoken if message.content or message.calls or message.call_id)), prompt

    def _over(self, talk: Conversation | None) -> str | None:
        """Say which limit forbids another question."""
        if talk is None:
            return None
        if len(talk.recent) >= self.decisions:
            return f"decisions: the model was asked {self.decisions} times without reaching the goal"
        counts: dict[str, int] = {}
        for turn in talk.recent:
            for call in sorted({same_call(exchange.call) for exchange in turn.exchanges}):
                counts[call] = counts.get(call, 0) + 1
                if counts[call] > self.repeats:
                    name = brief(call.partition("(")[0])
                    return f"loop: {name} was called in more than {self.repeats} turns with the same arguments"
        last = talk.recent[-self.repeats :]
        if len(last) == self.repeats and all(turn.is_vain for turn in last):
            return f"loop: {self.repeats} answers of the model in a row called nothing that can be done"
        return None


def _satisfied(inquiry: Inquiry) -> Plan | None:
    """Return the empty plan of the most valuable goal that holds."""
    real = [goal for goal in inquiry.problem.goals if goal is not NIRVANA]
    for goal in sorted(real, key=lambda goal: (-goal.value, goal.name)):
        while True:
            glance = Glance(inquiry, inquiry.world, None)
            try:
                if glance.satisfied(goal):
                    return glance.idle(goal)
                break
            except _QuestionRaised as question:
                inquiry.ask(question.name)
    return None


def _is_ready(move: Move) -> bool:
    return all(item.optional for item in move.exposed)
