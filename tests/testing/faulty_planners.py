"""Planners and agents with one planted fault each, for the checks to find. Importable, so fresh interpreters have them."""

from dataclasses import dataclass, field

from pydantic import BaseModel

from planboard import Agent, Goap, NoPlan, Plan, PlanGoal, Planner, Problem, achieves_goal, action


class Faulty(Planner):
    """Plans like GOAP, but for the fault."""

    plans_ahead = True

    @property
    def name(self):
        return type(self).__name__

    def plan_to(self, problem, goal):
        return Goap().plan_to(self.spoilt(problem), goal)

    def spoilt(self, problem):
        return problem

    def __repr__(self):
        return f"{type(self).__name__}()"


def without(problem, operator):
    operators = [other for other in problem.operators if other != operator]
    return Problem(problem.state, operators, problem.goals)


class Dear(Faulty):
    """Leaves out the first step of the best plan, if there is another way."""

    def plan_to(self, problem, goal):
        best = Goap().plan_to(problem, goal)
        if not isinstance(best, Plan) or best.complete:
            return best
        other = Goap().plan_to(without(problem, best.first), goal)
        return other if isinstance(other, Plan) else best


class Hopeless(Faulty):
    """Sees no way at all."""

    def plan_to(self, problem, goal):
        return NoPlan(goal, "unreachable")


class Rash(Faulty):
    """Takes it that everything but the goal holds already."""

    def plan_to(self, problem, goal):
        state = {name: name not in goal.pre or truth for name, truth in problem.state.items()}
        return Goap().plan_to(Problem(state, problem.operators, problem.goals), goal)


class Forgetful(Faulty):
    """Brings about what holds already."""

    def spoilt(self, problem):
        return Problem({}, problem.operators, problem.goals)


class Hasty(Faulty):
    """Takes it that all is done."""

    def spoilt(self, problem):
        return Problem(dict.fromkeys(problem.state, True), problem.operators, problem.goals)


class Elsewhere(Faulty):
    """Plans for less than it is asked for."""

    def plan_to(self, problem, goal):
        return Goap().plan_to(problem, PlanGoal(goal.name, dict(list(goal.pre.items())[:1])))


class FirstCome(Faulty):
    """Follows the goal that was registered first."""

    def plan(self, problem):
        return self.plans(problem)[0]


class Hashing(Faulty):
    """Knows only the action whose name has the smallest hash."""

    def spoilt(self, problem):
        smallest = min(problem.operators, key=lambda operator: hash(operator.name))
        return Problem(problem.state, [smallest], problem.goals)


@dataclass(eq=False)
class Moody(Faulty):
    """Is of another mind every other time."""

    asked: list = field(default_factory=list)

    def plan_to(self, problem, goal):
        self.asked.append(goal)
        return (Dear() if len(self.asked) % 2 else Goap()).plan_to(problem, goal)


class Meddling(Faulty):
    """Makes an action cheaper while it plans."""

    def plan(self, problem):
        found = problem.state.compilation.catalogue.actions["write"]
        object.__setattr__(found, "cost", 0.0)
        return super().plan(problem)


class Topic(BaseModel):
    text: str


class Report(BaseModel):
    number: int


@achieves_goal("A report")
@action(cost=0.5)
def write(topic: Topic) -> Report:
    return Report(number=len(topic.text))


writer = Agent("writer", [write])


class Counter:
    """Numbers the reports of all runs."""

    def __init__(self):
        self.count = 0

    @achieves_goal("A report")
    @action
    def number(self, topic: Topic) -> Report:
        self.count += 1
        return Report(number=self.count)


@action(cost=lambda: hash("by hand") % 1000 / 1000)
def by_hand(topic: Topic) -> Report: ...


hashing_agent = Agent("hashing", [by_hand], goals=[Report])
