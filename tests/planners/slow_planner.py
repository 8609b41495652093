"""The slow obvious planner: dictionaries, every state, every order. What the fast one must agree with.

A fact is True, False, None (unknown from the start, satisfies nothing) or OPEN (made unknown by a step, may be
assumed either way).
"""

from fractions import Fraction
from heapq import heappop, heappush
from itertools import count

from planboard.planners import Operator, PlanGoal

OPEN = "open"


def number(value):
    """The decimal as it is written."""
    return Fraction(str(value))


def needed_assumptions(state, wanted):
    """The facts to assume so that `wanted` holds, or None if it cannot."""
    found = {}
    for name, truth in wanted.items():
        now = state.get(name, False)
        if now == OPEN:
            found[name] = truth
        elif now is not truth:
            return None
    return found


def applied(state, operator):
    """The state after an operator, with what it assumes; None if it cannot run."""
    assumed = needed_assumptions(state, operator.pre)
    if assumed is None:
        return None
    after = {**state, **assumed}
    after.update({name: OPEN if truth is None else truth for name, truth in operator.effects.items()})
    return after, len(assumed)


def simulate(state, operators, goal):
    """The number of assumptions if the operators reach the goal in this order, else None."""
    total = 0
    for operator in operators:
        step = applied(state, operator)
        if step is None:
            return None
        state, assumed = step
        total += assumed
    ending = needed_assumptions(state, goal.pre)
    return None if ending is None else total + len(ending)


def best_key(state, operators, goal: PlanGoal, *, net=False):
    """The least (cost, assumptions, actions, -preconditions, sorted names) by Dijkstra over all states; None: none."""
    names = [operator.name for operator in operators]
    tickets = count()
    queue = [((Fraction(0), 0, 0, 0, ()), next(tickets), False, dict(state))]
    closed = set()
    while queue:
        key, _, ended, now = heappop(queue)
        if ended:
            return key
        frozen = frozenset(now.items())
        if frozen in closed:
            continue
        closed.add(frozen)
        ending = needed_assumptions(now, goal.pre)
        if ending is not None:
            cost, risk, steps, demands, used = key
            heappush(queue, ((cost, risk + len(ending), steps, demands, used), next(tickets), True, now))
        for operator in operators:
            step = applied(now, operator)
            if step is None:
                continue
            after, assumed = step
            risk = assumed + (names.count(operator.name) > 1)
            cost, risks, steps, demands, used = key
            price = number(operator.cost) - (number(operator.value) if net else 0)
            following = (
                cost + price,
                risks + risk,
                steps + 1,
                demands - len(operator.pre),
                tuple(sorted((*used, operator.key))),
            )
            heappush(queue, (following, next(tickets), False, after))
    return None


def smallest_order(state, chosen: list[Operator], goal, assumptions):
    """The smallest order by name that reaches the goal with no more assumptions, by trying all of them."""
    chosen = sorted(chosen, key=lambda operator: operator.key)

    def extend(now, left, budget, prefix):
        if budget < 0:
            return None
        if not left:
            ending = needed_assumptions(now, goal.pre)
            return prefix if ending is not None and len(ending) <= budget else None
        for index, operator in enumerate(left):
            step = applied(now, operator)
            if step is not None:
                after, assumed = step
                found = extend(after, left[:index] + left[index + 1 :], budget - assumed, [*prefix, operator.key])
                if found is not None:
                    return found
        return None

    return extend(state, chosen, assumptions, [])


def key_of(plan, *, net=False):
    """A plan's place in the order that `best_key` minimises."""
    operators = plan.operators
    cost = sum((number(op.cost) - (number(op.value) if net else 0) for op in operators), Fraction(0))
    demands = sum(len(operator.pre) for operator in operators)
    names = tuple(sorted(operator.key for operator in operators))
    return cost, len(plan.assumptions), len(plan), -demands, names


def best_standing(results):
    """The plan of greatest net value; ties fall to lower cost, fewer actions, the goal's name."""
    from planboard.planners import NIRVANA, Plan

    plans = [result for result in results if isinstance(result, Plan)]
    return min(
        plans,
        key=lambda plan: (-plan.exact_net_value, plan.goal is NIRVANA, plan.exact_cost, len(plan), plan.goal.name),
        default=None,
    )
