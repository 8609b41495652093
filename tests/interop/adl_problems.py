"""Random unified-planning problems that use all that is supported, small enough to search from end to end."""

from hypothesis import strategies as st
from unified_planning.environment import get_environment
from unified_planning.model import Fluent, InstantaneousAction, Object, Problem, Variable
from unified_planning.model.metrics import MinimizeActionCosts

_ENVIRONMENT = get_environment()
_MANAGER, _TYPES = _ENVIRONMENT.expression_manager, _ENVIRONMENT.type_manager
THING = _TYPES.UserType("thing")
BOX = _TYPES.UserType("box", THING)
BOOL, INT = _TYPES.BoolType(), _TYPES.IntType()

CHANGING = [
    Fluent("lit"),
    Fluent("seen", BOOL, x=THING),
    Fluent("open", BOOL, b=BOX),
    Fluent("in", BOOL, x=THING, b=BOX),
]
FIXED = [Fluent("heavy", BOOL, x=THING), Fluent("near", BOOL, x=THING, y=THING)]
WEIGHT = Fluent("weight", INT, x=THING)


@st.composite
def adl_problems(draw):
    """Draw a problem with quantifiers, alternatives, conditional effects, fixed fluents, subtypes and costs."""
    problem = Problem("random")
    boxes = [Object("box1", BOX)]
    things = [Object("ball", THING), Object("cup", THING), *boxes]
    problem.add_objects(things)
    for fluent in [*CHANGING, *FIXED]:
        problem.add_fluent(fluent, default_initial_value=False)
    problem.add_fluent(WEIGHT, default_initial_value=1)
    for fact in [fluent(*chosen) for fluent in [*CHANGING, *FIXED] for chosen in _choices(fluent, things, boxes)]:
        if draw(st.integers(0, 2)) == 0:
            problem.set_initial_value(fact, True)
    for thing in things:
        problem.set_initial_value(WEIGHT(thing), draw(st.integers(0, 3)))
    costs = {}
    for number in range(draw(st.integers(1, 4))):
        action = InstantaneousAction(f"act{number}", **dict(draw(st.sampled_from(PARAMETERS))))
        scope = list(action.parameters)
        for _ in range(draw(st.integers(0, 2))):
            action.add_precondition(draw(conditions(scope, things)))
        for _ in range(draw(st.integers(1, 3))):
            _add_effect(draw, action, scope, things)
        problem.add_action(action)
        costs[action] = draw(_costs(scope))
    problem.add_goal(draw(conditions([], things)))
    problem.add_goal(draw(conditions([], things)))
    if draw(st.booleans()):
        problem.add_quality_metric(MinimizeActionCosts(costs))
    return problem


PARAMETERS = [(), (("x", THING),), (("b", BOX),), (("x", THING), ("b", BOX)), (("x", THING), ("y", THING))]


def _choices(fluent, things, boxes):
    rows = [()]
    for part in fluent.signature:
        rows = [(*row, thing) for row in rows for thing in (boxes if part.type == BOX else things)]
    return rows


def _term(draw, kind, scope, things):
    fitting = [term for term in scope if kind in (term.type, THING)]
    fitting += [thing for thing in things if kind in (thing.type, THING)]
    return draw(st.sampled_from(fitting))


def _fact(draw, fluents, scope, things):
    fluent = draw(st.sampled_from(fluents))
    return fluent(*(_term(draw, part.type, scope, things) for part in fluent.signature))


@st.composite
def conditions(draw, scope, things, depth=2):
    """Draw a condition over the variables in sight."""
    kind = draw(st.sampled_from(["fact", "fact", "not", "same", "and", "or", "implies", "iff", "exists", "forall"]))
    if depth == 0 or kind == "fact":
        return _fact(draw, CHANGING + FIXED, scope, things)
    if kind == "same":
        return _MANAGER.Equals(_term(draw, THING, scope, things), _term(draw, THING, scope, things))
    if kind in ("exists", "forall"):
        variable = Variable(f"v{depth}", draw(st.sampled_from([THING, BOX])))
        body = draw(conditions([*scope, variable], things, depth - 1))
        return (_MANAGER.Exists if kind == "exists" else _MANAGER.Forall)(body, variable)
    parts = [draw(conditions(scope, things, depth - 1)) for _ in range(1 if kind == "not" else 2)]
    make = {"not": _MANAGER.Not, "and": _MANAGER.And, "or": _MANAGER.Or}
    return make.get(kind, _MANAGER.Implies if kind == "implies" else _MANAGER.Iff)(*parts)


def _add_effect(draw, action, scope, things):
    variable = Variable("each", THING)
    forall = [variable] if draw(st.integers(0, 3)) == 0 else []
    inner = [*scope, *forall]
    fact = _fact(draw, CHANGING, inner, things)
    value = draw(st.sampled_from([True, True, False, "condition"]))
    if value == "condition":
        value = draw(conditions(inner, things, 1))
    condition = draw(conditions(inner, things, 1)) if draw(st.integers(0, 1)) else True
    action.add_effect(fact, value, condition, forall=forall)


@st.composite
def _costs(draw, scope):
    base = _MANAGER.Int(draw(st.integers(0, 3)))
    return _MANAGER.Plus(base, WEIGHT(draw(st.sampled_from(scope)))) if scope and draw(st.booleans()) else base
