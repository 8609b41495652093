"""The slow obvious way: unified-planning's own expressions, evaluated one state at a time, and Dijkstra over states."""

import heapq
from fractions import Fraction
from itertools import count, product


def cheapest(problem):
    """Return what the best plan costs, counting actions if there is no metric; `None` if there is no plan."""
    bare = {fact.fluent().name: fact.fluent() for fact in problem.initial_values}
    start = frozenset(
        (fact.fluent().name, *(argument.object().name for argument in fact.args))
        for fact, value in problem.initial_values.items()
        if bare[fact.fluent().name].type.is_bool_type() and value.is_true()
    )
    order = count()
    queue, best = [(Fraction(0), next(order), start)], {}
    while queue:
        cost, _, state = heapq.heappop(queue)
        if state in best:
            continue
        best[state] = cost
        if all(value_of(problem, goal, {}, state) for goal in problem.goals):
            return cost
        for action in problem.actions:
            for chosen in bindings(problem, action.parameters):
                if all(value_of(problem, condition, chosen, state) for condition in action.preconditions):
                    following = after(problem, action, chosen, state)
                    heapq.heappush(queue, (cost + price(problem, action, chosen), next(order), following))
    return None


def bindings(problem, variables):
    names = [variable.name for variable in variables]
    for things in product(*([thing.name for thing in problem.objects(variable.type)] for variable in variables)):
        yield dict(zip(names, things, strict=True))


def after(problem, action, chosen, state):
    added, deleted = set(), set()
    for effect in action.effects:
        for inner in bindings(problem, effect.forall):
            scope = chosen | inner
            if value_of(problem, effect.condition, scope, state):
                fact = fact_of(effect.fluent, scope)
                (added if value_of(problem, effect.value, scope, state) else deleted).add(fact)
    return state - deleted | added


def price(problem, action, chosen):
    if not problem.quality_metrics:
        return 1
    cost = problem.quality_metrics[0].get_action_cost(action)
    return number_of(problem, cost, chosen)


def number_of(problem, node, scope):
    if node.is_fluent_exp():
        things = [problem.object(name) for name in fact_of(node, scope)[1:]]
        return Fraction(problem.initial_value(node.fluent()(*things)).constant_value())
    if node.is_plus():
        return sum(number_of(problem, part, scope) for part in node.args)
    return Fraction(node.constant_value())


def fact_of(node, scope):
    return (node.fluent().name, *(thing_of(argument, scope) for argument in node.args))


def thing_of(node, scope):
    if node.is_object_exp():
        return node.object().name
    return scope[(node.parameter() if node.is_parameter_exp() else node.variable()).name]


def value_of(problem, node, scope, state):
    def value(part, extra=None):
        return value_of(problem, part, {**scope, **(extra or {})}, state)

    if node.is_bool_constant():
        return node.bool_constant_value()
    if node.is_fluent_exp():
        return fact_of(node, scope) in state
    if node.is_not():
        return not value(node.arg(0))
    if node.is_and():
        return all(value(part) for part in node.args)
    if node.is_or():
        return any(value(part) for part in node.args)
    if node.is_implies():
        return not value(node.arg(0)) or value(node.arg(1))
    if node.is_iff():
        return value(node.arg(0)) == value(node.arg(1))
    if node.is_equals():
        return thing_of(node.arg(0), scope) == thing_of(node.arg(1), scope)
    quantify = all if node.is_forall() else any
    return quantify(value(node.arg(0), extra) for extra in bindings(problem, node.variables()))
