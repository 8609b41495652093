"""What a planner framework of the same family does in whole runs, restated as data of ours.

`expect` is what Planboard must do. Where it differs from the peer on purpose, `differs` says how; the reasons are in
docs/explanation/differences.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Do:
    """One action: `takes` and `gives` are type names; `gives` may be "A | B", "A?" (perhaps nothing) or ""."""

    name: str
    takes: str
    gives: str
    does: Callable[..., Any] | None = None
    """From the texts of the inputs to "Type: text", a text, or `None`; by default the texts, wrapped in the name."""
    goal: bool = False
    in_state: bool = False
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """One run and what comes of it."""

    id: str
    board: tuple[str, ...]
    """"Type: text", with "!" before what is protected and "name=" before what is bound."""
    actions: tuple[Do, ...]
    expect: dict[str, Any]
    planner: str = "goap"
    goals: tuple[str, ...] = ()
    parents: dict[str, str] = field(default_factory=dict)
    """Type to its parent type; a state class's substates are found by it."""
    states: tuple[str, ...] = ()
    conditions: dict[str, tuple[str, Callable[[str], bool]]] = field(default_factory=dict)
    """Name to the type it looks at and the test of its text."""
    options: dict[str, Any] = field(default_factory=dict)
    differs: str = ""


FIRST = Do("firstAction", "UserInput", "Text", lambda t: t)
FROG, PERSON = Do("makeFrog", "", "Frog", lambda: "Kermit"), Do("makePerson", "Frog", "Person", lambda f: f)
PERSON_GOAL = Do("makePerson", "Frog", "Person", lambda f: f, goal=True)
ELEPHANT = Do("makeElephant", "", "Elephant", lambda: "15")
ZOO = Do("makeZoo", "Elephant", "Zoo", options={"pre": ["elephant.text == '30'"]})
HAS_123 = {"firstCondition": ("Text", lambda text: "123" in text)}

DOCUMENTS = (
    Do("classifyDocument", "Document", "DocumentType", lambda t: {"urgent": "Urgent", "report": "Analytical"}.get(t, "Standard") + "Document"),
    Do("processUrgent", "UrgentDocument", "ProcessedDocument", lambda _: "CRITICAL", goal=True, in_state=True),
    Do("processAnalytical", "AnalyticalDocument", "ProcessedDocument", lambda _: "INFORMATIVE", goal=True, in_state=True),
    Do("processStandard", "StandardDocument", "ProcessedDocument", lambda _: "NEUTRAL", goal=True, in_state=True),
)  # fmt: skip
DOCUMENT_TYPES = dict.fromkeys(("UrgentDocument", "AnalyticalDocument", "StandardDocument"), "DocumentType")
INTENTS = (
    Do("classifyIntent", "UserInput", "Intent?", {"billing": "BillingIntent", "sales": "SalesIntent"}.get),
    Do("billingAction", "BillingIntent", "Classified", lambda _: "billing"),
    Do("salesAction", "SalesIntent", "Classified", lambda _: "sales"),
    Do("success", "Classified", "Answer", lambda t: t, goal=True),
)
INTENT_TYPES = {"BillingIntent": "Intent", "SalesIntent": "Intent"}
BRANCHES = (
    Do("start", "TaskInput", "ChoiceState", lambda t: t),
    Do("decide", "ChoiceState", "Branch", lambda t: "BranchA" if len(t) > 5 else "BranchB", in_state=True),
    Do("processA", "BranchA", "FinalStage", in_state=True),
    Do("processB", "BranchB", "FinalStage", in_state=True),
    Do("complete", "FinalStage", "TaskOutput", goal=True, in_state=True),
)
BRANCH_STATES = ("ChoiceState", "Branch", "FinalStage")
DETOUR = (
    Do("evalRequest", "Request, Params", "Stage", lambda r, p: "NeedsMoreData" if r == "empty" else "ReadyToProcess"),
    Do("getLevels", "NeedsMoreData", "Levels", in_state=True),
    Do("addLevels", "NeedsMoreData, Levels", "ReadyToProcess", in_state=True),
    Do("search", "ReadyToProcess", "Result", goal=True, in_state=True),
)
STAGES = {"NeedsMoreData": "Stage", "ReadyToProcess": "Stage"}

RUNS = (
    Run("process/unreachable-goal", ("UserInput: TestUser",),
        (FIRST, Do("finish", "Text", "Done", goal=True, options={"pre": ["firstCondition"]})),
        {"status": "STUCK", "history": ["firstAction"], "says": ["firstCondition"]}, conditions=HAS_123,
        differs="peer runs nothing, for no action declares the condition; ours assumes what an action may bring about"),
    Run("process/unreachable-goal, now reached", ("UserInput: abc123",),
        (FIRST, Do("finish", "Text", "Done", goal=True, options={"pre": ["firstCondition"]})),
        {"status": "COMPLETED", "history": ["firstAction", "finish"]}, conditions=HAS_123),
    Run("utility/satisfiable-goal-completes", (), (FROG, PERSON_GOAL),
        {"status": "COMPLETED", "has": ["Frog: Kermit", "Person: Kermit"]}, "utility"),
    Run("utility/unsatisfiable-goal-stuck", (), (FROG, PERSON, Do("eat", "UserInput", "SnakeMeal", goal=True)),
        {"status": "STUCK", "has": ["Frog: Kermit", "Person: Kermit"]}, "utility"),
    Run("utility/void-return", (), (FROG, Do("thing2", "Frog", "")),
        {"status": "COMPLETED", "history": ["makeFrog", "thing2"]}, "utility",
        differs="peer ends STUCK; ours is COMPLETED when there is no goal and nothing is left to do"),
    Run("utility/void-return, terminated", (), (FROG, Do("thing2", "Frog", "")),
        {"status": "TERMINATED", "history": ["makeFrog", "thing2"]}, "utility", options={"terminate_when_stuck": True}),
    *(Run(f"state/utility-document-{text}", (f"Document: {text}",), DOCUMENTS,
          {"status": "COMPLETED", "history": ["classifyDocument", action], "last": f"ProcessedDocument: {result}"},
          planner, parents=DOCUMENT_TYPES, states=("DocumentType",))
      for planner in ("utility", "goap", "hybrid")
      for text, action, result in (("urgent", "processUrgent", "CRITICAL"), ("report", "processAnalytical", "INFORMATIVE"),
                                   ("standard", "processStandard", "NEUTRAL"))),
    Run("expr/pre-false-blocks-utility-invocation", (), (ELEPHANT, ZOO),
        {"status": "COMPLETED", "lacks": ["Zoo"]}, "utility",
        differs="peer ends STUCK; ours is COMPLETED when there is no goal and nothing is left to do"),
    Run("expr/on-stuck-policy-terminates, expr/terminate-when-stuck-option", (), (ELEPHANT, ZOO),
        {"status": "TERMINATED", "lacks": ["Zoo"]}, "utility", options={"terminate_when_stuck": True}),
    Run("expr/two-variables", (),
        (ELEPHANT, Do("canRun", "", "Runner", lambda: "Runner: Runner"),
         Do("makeZoo", "Elephant, Runner", "Zoo", options={"pre": ["elephant.text == '15' && runner.text == 'Runner'"]})),
        {"status": "COMPLETED", "has": ["Zoo"]}, "utility"),
    Run("trigger/fires-when-last", ("systemContext=SystemContext: s-123", "UserMessage: Hello!"),
        (Do("handle", "UserMessage, SystemContext", "Response", goal=True, options={"trigger": "UserMessage"}),),
        {"status": "COMPLETED", "last": "Response: handle(Hello!, s-123)"}),
    Run("trigger/fires-when-last, but it is not", ("UserMessage: Hello!", "SystemContext: s-123"),
        (Do("handle", "UserMessage, SystemContext", "Response", goal=True, options={"trigger": "UserMessage"}),),
        {"status": "STUCK", "history": []}),
    Run("trigger/no-trigger-order-free", ("userMessage=UserMessage: Hello!", "SystemContext: s-456"),
        (Do("handle", "UserMessage, SystemContext", "Response", goal=True),), {"status": "COMPLETED"}),
    Run("trigger/null-return-runs-once", ("context=RequestContext: c", "IncomingRequest: r"),
        (Do("process", "IncomingRequest, RequestContext", "", options={"trigger": "IncomingRequest", "rerun": True}),),
        {"status": "COMPLETED", "history": ["process"]}, "utility"),
    Run("clear/kept-without", ("InputData: test",),
        (Do("processInput", "InputData", "Mid"), Do("produce", "Mid", "Final", goal=True)),
        {"status": "COMPLETED", "has": ["InputData", "Mid", "Final"]}),
    Run("clear/inputs-gone, clear/flow-completes", ("InputData: test",),
        (Do("processInput", "InputData", "Mid", options={"clear_board": True}), Do("produce", "Mid", "Final", goal=True)),
        {"status": "COMPLETED", "lacks": ["InputData"], "has": ["Final: produce(processInput(test))"],
         "history": ["processInput", "produce"]}),
    Run("clear/mid-flow", ("InputData: start",),
        (Do("step1", "InputData", "One"), Do("step2", "One", "Two", options={"clear_board": True}),
         Do("step3", "Two", "Three", goal=True)),
        {"status": "COMPLETED", "lacks": ["InputData", "One"], "last": "Three: step3(step2(step1(start)))"}),
    Run("derived/process/clear-on-goal-action", ("InputData: x",),
        (Do("a", "InputData", "Mid"), Do("b", "Mid", "Final", goal=True, options={"clear_board": True})),
        {"status": "COMPLETED"}, differs="peer is STUCK: what its goal needs is cleared with the rest"),
    Run("derived/process/empty-board-goal-action", (), (Do("make", "", "Frog", goal=True),),
        {"status": "COMPLETED"}, differs="peer is STUCK: an empty board looks cleared"),
    Run("routing/billing", ("UserInput: billing",), INTENTS, {"status": "COMPLETED", "last": "Answer: billing"},
        parents=INTENT_TYPES),
    Run("routing/sales", ("UserInput: sales",), INTENTS, {"status": "COMPLETED", "last": "Answer: sales"},
        parents=INTENT_TYPES),
    Run("routing, nothing recognised", ("UserInput: weather",), INTENTS,
        {"status": "STUCK", "history": ["classifyIntent"]}, parents=INTENT_TYPES),
    Run("path/condition-from-board", (),
        (Do("frog", "", "Frog"), Do("toPerson", "", "Person", lambda: "Kermit", goal=True, options={"pre": ["done"]})),
        {"status": "COMPLETED", "last": "Person: Kermit"}, conditions={"done": ("Frog", lambda _: True)}),
    Run("someof/run", (),
        (Do("frogOrDog", "", "Frog | Dog", lambda: "Frog: Kermit"), Do("toPerson", "Frog", "Person", lambda f: f, goal=True)),
        {"status": "COMPLETED", "last": "Person: Kermit"}),
    Run("derived/someof/optimistic", (),
        (Do("frogOrDog", "", "Frog | Dog", lambda: "Frog: Kermit"), Do("needBoth", "Frog, Dog", "Meal", goal=True)),
        {"status": "STUCK", "history": [], "says": ["Meal from needBoth"]},
        differs="peer assumes every outcome at once, runs the action and is STUCK; ours plans for each outcome"),
    Run("state/linear", ("TaskInput: test",),
        (Do("start", "TaskInput", "FirstStage"), Do("processFirst", "FirstStage", "SecondStage", in_state=True),
         Do("processSecond", "SecondStage", "ThirdStage", in_state=True),
         Do("complete", "ThirdStage", "TaskOutput", goal=True, in_state=True)),
        {"status": "COMPLETED", "history": ["start", "processFirst", "processSecond", "complete"]},
        states=("FirstStage", "SecondStage", "ThirdStage")),
    Run("state/branch-b", ("TaskInput: Hi",), BRANCHES,
        {"status": "COMPLETED", "history": ["start", "decide", "processB", "complete"]},
        parents={"BranchA": "Branch", "BranchB": "Branch"}, states=BRANCH_STATES),
    Run("state/branch-converge", ("TaskInput: long enough",), BRANCHES,
        {"status": "COMPLETED", "history": ["start", "decide", "processA", "complete"], "goals": 1},
        parents={"BranchA": "Branch", "BranchB": "Branch"}, states=BRANCH_STATES),
    Run("state/loop", ("TaskInput: x",),
        (Do("start", "TaskInput", "Processing", lambda t: t),
         Do("process", "Processing", "Outcome", lambda t: f"Processing: {t}+" if len(t) < 3 else f"Finished: {t}",
            in_state=True, options={"clear_board": True}),
         Do("complete", "Finished", "TaskOutput", lambda t: t, goal=True, in_state=True)),
        {"status": "COMPLETED", "history": ["start", "process", "process", "process", "complete"], "last": "TaskOutput: x++"},
        parents={"Processing": "Outcome", "Finished": "Outcome"}, states=("Outcome",)),
    Run("state/user-identity-preserved", ("!userId=UserId: user-42", "UserId: user-42"),
        (Do("startSession", "UserId", "Session"), Do("processRequest", "Session, UserId", "Processing", in_state=True),
         Do("complete", "Processing, UserId", "SessionResult", lambda _, user: user, goal=True, in_state=True)),
        {"status": "COMPLETED", "last": "SessionResult: user-42"}, states=("Session", "Processing")),
    Run("state/exit-to-outer", ("!input=Original: hello", "Original: hello"),
        (Do("enterState", "Original", "Working", lambda t: t), Do("exitState", "Working", "ExitSignal", str.upper, in_state=True),
         Do("continueAfter", "Original, ExitSignal", "FinalOutput", lambda a, b: f"{a} {b}", goal=True)),
        {"status": "COMPLETED", "last": "FinalOutput: hello HELLO"}, states=("Working",)),
    Run("state/polymorphic-interface-detour", ("Request: empty", "params=Params: layer"), DETOUR,
        {"status": "COMPLETED", "history": ["evalRequest", "getLevels", "addLevels", "search"]}, parents=STAGES, states=("Stage",)),
    Run("state/polymorphic-interface, straight", ("Request: full", "params=Params: layer"), DETOUR,
        {"status": "COMPLETED", "history": ["evalRequest", "search"]}, parents=STAGES, states=("Stage",)),
    Run("process/stuck-no-handler", (), (Do("fromInput", "UserInput", "Person"), Do("toFrog", "Person", "Frog", goal=True)),
        {"status": "STUCK", "history": [], "says": ["UserInput"]}),
)  # fmt: skip
