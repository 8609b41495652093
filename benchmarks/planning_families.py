"""The planning problems of `planning.py`: families of growing size, the same on every machine.

Every function returns an `Instance`: facts, operators and one goal, ready for a `Problem`, and translated for the
peers elsewhere. Random ones have a generator of their own, seeded by what they are called, so adding one changes no
other. All of them are solvable, by the way they are made; `python benchmarks/planning_families.py` lists them and
checks that.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, permutations, product
from random import Random
from typing import Literal

from planboard.planners import Operator, PlanGoal, Problem

Style = Literal["plain", "embabel", "embabel+deletes"]


@dataclass(frozen=True)
class Instance:
    """One problem: what is true at the start, what can be done, and what is wanted."""

    family: str
    """Problems of one family differ in size only."""
    name: str
    """Unique: family and size."""
    facts: frozenset[str]
    """What is true at the start; everything else is false."""
    operators: tuple[Operator, ...]
    goal: PlanGoal

    @property
    def state(self) -> Mapping[str, bool]:
        """The start, as a `Problem` takes it."""
        return dict.fromkeys(sorted(self.facts), True)

    def problem(self) -> Problem:
        """Return the problem over a domain of its own, so that nothing is remembered."""
        return Problem(self.state, self.operators, (self.goal,))

    @cached_property
    def delete_free(self) -> bool:
        """Whether nothing is ever made or demanded false."""
        return all(all(o.pre.values()) and all(o.effects.values()) for o in self.operators)

    @cached_property
    def unit_cost(self) -> bool:
        """Whether all operators cost the same, so that a planner that counts steps finds the cheapest plan."""
        return len({operator.cost for operator in self.operators}) == 1


def instance(
    family: str, name: str, facts: Iterable[str], operators: Iterable[Operator], goal: Iterable[str]
) -> Instance:
    return Instance(family, name, frozenset(facts), tuple(operators), PlanGoal("goal", sorted(goal)))


def irrelevant(count: int) -> list[Operator]:
    """Return actions that can be done at once, or soon, and help nothing: what a search without relevance drowns in."""
    return [
        Operator(f"idle_{i}", pre=[f"idle_done_{i - 1}"] if i % 10 else ["start"], effects=[f"idle_done_{i}"], cost=1)
        for i in range(count)
    ]


def chain(steps: int, unrelated: int = 0) -> Instance:
    """One way only, step after step."""
    operators = [Operator("step_0", ["start"], ["done_0"], cost=1)]
    operators += [Operator(f"step_{i}", [f"done_{i - 1}"], [f"done_{i}"], cost=1) for i in range(1, steps)]
    name = f"chain{steps}" + (f"+{unrelated}" if unrelated else "")
    return instance(
        "chain+irrelevant" if unrelated else "chain",
        name,
        ["start"],
        operators + irrelevant(unrelated),
        [f"done_{steps - 1}"],
    )


def layers(count: int, alternatives: int, unrelated: int = 0) -> Instance:
    """In each layer one of several actions is enough; they differ in cost, and the cheapest is never the first."""
    name = f"layers{count}x{alternatives}" + (f"+{unrelated}" if unrelated else "")
    random = Random(name)
    operators = []
    for layer in range(count):
        costs = random.sample(range(2, 2 + 3 * alternatives), alternatives)
        before = f"layer_{layer - 1}" if layer else "start"
        operators += [
            Operator(f"layer_{layer}_way_{way}", [before], [f"layer_{layer}"], cost=cost)
            for way, cost in enumerate(sorted(costs, reverse=True))
        ]
    return instance(
        "layers+irrelevant" if unrelated else "layers",
        name,
        ["start"],
        operators + irrelevant(unrelated),
        [f"layer_{count - 1}"],
    )


def trellis(width: int, length: int, inputs: int = 1) -> Instance:
    """Layers of nodes; each node is made from any node of the layer before, or from any two neighbours in it."""
    name = f"trellis{width}x{length}" + (f"_{inputs}in" if inputs > 1 else "")
    random = Random(name)
    operators = [
        Operator(f"enter_{node}", ["start"], [f"node_0_{node}"], cost=random.randint(1, 9)) for node in range(width)
    ]
    for layer in range(1, length):
        for node, source in product(range(width), repeat=2):
            needed = [f"node_{layer - 1}_{(source + k) % width}" for k in range(inputs)]
            operators.append(
                Operator(
                    f"link_{layer}_{source}_to_{node}", needed, [f"node_{layer}_{node}"], cost=random.randint(1, 9)
                )
            )
    operators += [
        Operator(f"leave_{node}", [f"node_{length - 1}_{node}"], ["arrived"], cost=random.randint(1, 9))
        for node in range(width)
    ]
    return instance("trellis", name, ["start"], operators, ["arrived"])


def independent(goals: int) -> Instance:
    """One action for each of many subgoals, in any order: 2^n states for a search that is not told."""
    operators = [Operator(f"achieve_{i}", ["start"], [f"subgoal_{i}"], cost=1 + i % 3) for i in range(goals)]
    return instance("independent", f"indep{goals}", ["start"], operators, [f"subgoal_{i}" for i in range(goals)])


def cover(goals: int, sets: int) -> Instance:
    """Weighted set cover: each action achieves a few of the subgoals; each subgoal is in at least two of the sets."""
    name = f"cover{goals}_{sets}"
    random = Random(name)
    members = [set(random.sample(range(goals), random.randint(2, 4))) for _ in range(sets)]
    for goal in range(goals):
        while sum(goal in some for some in members) < 2:
            random.choice(members).add(goal)
    operators = [
        Operator(f"set_{i}", ["start"], [f"covered_{goal}" for goal in sorted(some)], cost=random.randint(10, 30) / 10)
        for i, some in enumerate(members)
    ]
    return instance("cover", name, ["start"], operators, [f"covered_{goal}" for goal in range(goals)])


def gripper(balls: int) -> Instance:
    """A robot with two hands carries balls from one room to the other."""
    rooms, hands = ("a", "b"), ("left", "right")
    operators = [
        Operator(
            f"move_{here}_{there}", [f"robot_in_{here}"], {f"robot_in_{here}": False, f"robot_in_{there}": True}, cost=1
        )
        for here, there in permutations(rooms)
    ]
    for ball, room, hand in product(range(balls), rooms, hands):
        lying, held, free, here = (
            f"ball_{ball}_in_{room}",
            f"ball_{ball}_in_{hand}_hand",
            f"{hand}_free",
            f"robot_in_{room}",
        )
        operators += [
            Operator(
                f"pick_{ball}_{room}_{hand}", [lying, here, free], {lying: False, free: False, held: True}, cost=1
            ),
            Operator(f"drop_{ball}_{room}_{hand}", [held, here], {held: False, free: True, lying: True}, cost=1),
        ]
    facts = ["robot_in_a", "left_free", "right_free", *(f"ball_{ball}_in_a" for ball in range(balls))]
    return instance("gripper", f"gripper{balls}", facts, operators, [f"ball_{ball}_in_b" for ball in range(balls)])


def logistics(cities: int, places: int, planes: int, packages: int) -> Instance:
    """Packages travel by truck inside a city and by plane between airports, the first place of each city."""
    name = f"log{cities}c{places}l{planes}p{packages}k"
    random = Random(name)
    spots = [f"c{city}l{place}" for city in range(cities) for place in range(places)]
    airports = [f"c{city}l0" for city in range(cities)]
    ranges = {f"truck{city}": [f"c{city}l{place}" for place in range(places)] for city in range(cities)}
    ranges |= {f"plane{plane}": airports for plane in range(planes)}
    facts = {f"{vehicle}_at_{random.choice(reach)}" for vehicle, reach in ranges.items()}
    operators, goal = [], set()
    for vehicle, reach in ranges.items():
        operators += [
            Operator(
                f"go_{vehicle}_{here}_{there}",
                [f"{vehicle}_at_{here}"],
                {f"{vehicle}_at_{here}": False, f"{vehicle}_at_{there}": True},
                cost=1,
            )
            for here, there in permutations(reach, 2)
        ]
        for package, spot in product(range(packages), reach):
            lying, loaded, here = (
                f"package{package}_at_{spot}",
                f"package{package}_in_{vehicle}",
                f"{vehicle}_at_{spot}",
            )
            operators += [
                Operator(f"load_{package}_{vehicle}_{spot}", [lying, here], {lying: False, loaded: True}, cost=1),
                Operator(f"unload_{package}_{vehicle}_{spot}", [loaded, here], {loaded: False, lying: True}, cost=1),
            ]
    for package in range(packages):
        origin = random.choice(spots)
        destination = random.choice([spot for spot in spots if spot[:2] != origin[:2]])
        facts.add(f"package{package}_at_{origin}")
        goal.add(f"package{package}_at_{destination}")
    return instance("logistics", name, facts, operators, goal)


def stacking(blocks: int, random: Random) -> list[str]:
    """Return random towers, as facts."""
    towers: list[list[int]] = []
    for block in random.sample(range(blocks), blocks):
        if towers and random.random() < 0.7:
            random.choice(towers).append(block)
        else:
            towers.append([block])
    facts = [f"on_table_{tower[0]}" for tower in towers] + [f"clear_{tower[-1]}" for tower in towers]
    return facts + [f"on_{upper}_{lower}" for tower in towers for lower, upper in pairwise(tower)]


def blocks(count: int) -> Instance:
    """One hand turns random towers into other ones."""
    name = f"blocks{count}"
    random = Random(name)
    operators = []
    for block in range(count):
        clear, table, held = f"clear_{block}", f"on_table_{block}", f"holding_{block}"
        operators += [
            Operator(
                f"pick_up_{block}",
                [clear, table, "hand_empty"],
                {clear: False, table: False, "hand_empty": False, held: True},
                cost=1,
            ),
            Operator(f"put_down_{block}", [held], {clear: True, table: True, "hand_empty": True, held: False}, cost=1),
        ]
    for upper, lower in permutations(range(count), 2):
        clear, below, on, held = f"clear_{upper}", f"clear_{lower}", f"on_{upper}_{lower}", f"holding_{upper}"
        operators += [
            Operator(
                f"unstack_{upper}_{lower}",
                [clear, on, "hand_empty"],
                {clear: False, on: False, "hand_empty": False, held: True, below: True},
                cost=1,
            ),
            Operator(
                f"stack_{upper}_{lower}",
                [held, below],
                {clear: True, on: True, "hand_empty": True, held: False, below: False},
                cost=1,
            ),
        ]
    facts = ["hand_empty", *stacking(count, random)]
    return instance("blocks", name, facts, operators, stacking(count, random))


def blackboard(types: int, actions: int, seed: int = 1, style: Style = "plain", goals: int = 6) -> Instance:
    """A board of types: actions make one from one to three earlier ones.

    The first action of each type consumes nothing, so doing those in the order of the types is always a plan.

    Args:
        types: How many there are; the first three are on the board.
        actions: How many make one of the others, at costs from 0.05 to 1.
        seed: Another number, another board.
        style: "embabel": each runs once, and only while its output is missing; "embabel+deletes": three in ten
            consume an input as well.
        goals: How many of the later types are wanted.
    """
    given = 3
    random = Random(f"blackboard {types} {actions} {goals} {seed}")
    operators = []
    for number in range(actions):
        first = number < types - given
        output = given + number if first else random.randrange(given, types)
        sources = random.sample(range(output), min(output, random.randint(1, 3)))
        cost = random.randint(5, 100) / 100
        consumed = random.choice(sources) if random.random() < 0.3 and not first else None
        name = f"make_t{output}_from_{'_'.join(f't{source}' for source in sorted(sources))}_n{number}"
        pre = {f"t{source}": True for source in sources}
        effects = {f"t{output}": True}
        if style != "plain":
            pre |= {f"t{output}": False, f"has_run_n{number}": False}
            effects[f"has_run_n{number}"] = True
        if style == "embabel+deletes" and consumed is not None:
            effects[f"t{consumed}"] = False
        operators.append(Operator(name, pre, effects, cost=cost))
    wanted = random.sample(range(types // 2, types), goals)
    tag = {"plain": "", "embabel": "_embabel", "embabel+deletes": "_deletes"}[style]
    name = f"bb{types}t{actions}a{tag}#{seed}"
    return instance(f"blackboard{tag}", name, [f"t{i}" for i in range(given)], operators, [f"t{i}" for i in wanted])


BOARDS = ((30, 60, 1), (30, 60, 3), (30, 60, 4), (60, 200, 1), (60, 200, 3), (60, 200, 4), (120, 500, 1), (120, 500, 6))
"""Types, actions and seed. Boards of one size differ a lot; these take the search of Fast Downward 10 to 16 ms, 17 to
300 ms and 0.5 to 1.3 s without deletes, which is how they were chosen."""

CATALOGUE: dict[str, list[Callable[[], Instance]]] = {
    "chain": [lambda: chain(50), lambda: chain(200), lambda: chain(500)],
    "chain+irrelevant": [lambda: chain(50, 2000)],
    "layers": [lambda: layers(5, 10), lambda: layers(10, 20)],
    "layers+irrelevant": [lambda: layers(5, 5, 2000), lambda: layers(10, 20, 2000)],
    "trellis": [lambda: trellis(5, 10), lambda: trellis(5, 10, 2), lambda: trellis(3, 50)],
    "independent": [lambda n=n: independent(n) for n in (10, 12, 15, 20, 30)],
    "cover": [lambda: cover(10, 20), lambda: cover(15, 30), lambda: cover(20, 40)],
    "gripper": [lambda n=n: gripper(n) for n in (4, 5, 6)],
    "logistics": [lambda: logistics(2, 2, 1, 4), lambda: logistics(3, 2, 1, 4), lambda: logistics(2, 3, 1, 5)],
    "blocks": [lambda n=n: blocks(n) for n in (7, 8, 9)],
    "blackboard": [lambda b=b: blackboard(*b) for b in BOARDS],
    "blackboard_embabel": [lambda b=b: blackboard(*b, style="embabel") for b in BOARDS],
    "blackboard_deletes": [lambda b=b: blackboard(*b, style="embabel+deletes") for b in BOARDS],
}
"""Ways to make the problems of each family, small ones first."""


def instances(families: Iterable[str] = ()) -> list[Instance]:
    """Return the problems of some families, or of all."""
    chosen = list(families) or list(CATALOGUE)
    return [make() for family in chosen for make in CATALOGUE[family]]


def relaxed_reachable(this: Instance) -> bool:
    """Whether the goal can be reached if what once held counts as holding: necessary, and quick to tell."""
    names = {name for operator in this.operators for name in (*operator.pre, *operator.effects)}
    reached = {(name, name in this.facts) for name in names}
    waiting = list(this.operators)
    while True:
        ready = [operator for operator in waiting if reached.issuperset(operator.pre.items())]
        if not ready:
            return reached.issuperset(this.goal.pre.items())
        waiting = [operator for operator in waiting if not reached.issuperset(operator.pre.items())]
        for operator in ready:
            reached.update(operator.effects.items())


def main() -> None:
    print("| problem | operators | facts | delete-free | solvable if relaxed |\n|---|---:|---:|---|---|")
    for this in instances():
        facts = len(this.problem().domain.facts)
        print(f"| {this.name} | {len(this.operators)} | {facts} | {this.delete_free} | {relaxed_reachable(this)} |")


if __name__ == "__main__":
    main()
