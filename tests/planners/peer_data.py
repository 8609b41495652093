"""Planning cases of a peer system, restated as data of ours; the ids are theirs.

Each row: id, planner, state, operators as (name, pre, effects, cost, value), goals as (name, pre, value).
What is expected is said in `test_peer_cases`; a goal named "Nirvana" in theirs is `None` here, for ours is no name.
"""

T, F, U = True, False, None

_CRIME = (
    ("Cook drugs", {}, {"hasDrugs": T, "legalPeril": T}, 1.2, 0.0),
    ("Buy gun", {"hasMoney": T}, {"hasGun": T, "hasMoney": F}, 1.0, 0.0),
    ("Shoot enemy", {"hasGun": T}, {"enemyDead": T, "legalPeril": T}, 1.0, 0.0),
    ("Bribe cop", {"hasMoney": T}, {"legalPeril": F, "hasMoney": F}, 2.0, 0.0),
    ("Sell drugs", {"hasDrugs": T}, {"hasDrugs": F, "hasMoney": T, "legalPeril": T}, 1.2, 0.0),
    ("Buy poison", {"hasMoney": T}, {"hasPoison": T, "hasMoney": F}, 3.0, 0.0),
    ("Poison enemy", {"hasPoison": T}, {"enemyDead": T, "legalPeril": T}, 1.0, 0.0),
)
CASES = (
    (
        "goap/crime/single-plan",
        "goap",
        {},
        _CRIME,
        (("getAwayWithMurder", {"enemyDead": T, "legalPeril": F}, 10.0),),
    ),
    (
        "goap/crime/two-plans",
        "goap",
        {},
        _CRIME,
        (
            ("getAwayWithMurder", {"enemyDead": T, "legalPeril": F}, 10.0),
            ("hasGun", {"hasGun": T}, 1.0),
        ),
    ),
    (
        "goap/crime/unknown-forced",
        "goap",
        {"legalPeril": F, "enemyDead": U},
        _CRIME,
        (("getAwayWithMurder", {"enemyDead": T, "legalPeril": F}, 10.0),),
    ),
    (
        "goap/tiebreak/more-preconditions",
        "goap",
        {"start": T, "condition1": T, "condition2": T, "goal": F},
        (
            ("simpleAction", {"start": T}, {"goal": T}, 1.0, 0.0),
            ("specificAction", {"start": T, "condition1": T, "condition2": T}, {"goal": T}, 1.0, 0.0),
        ),
        (("testGoal", {"goal": T}, 0.0),),
    ),
    (
        "goap/tiebreak/cost-beats-specificity",
        "goap",
        {"start": T, "condition1": T, "condition2": T, "condition3": T, "goal": F},
        (
            (
                "expensiveSpecificAction",
                {"start": T, "condition1": T, "condition2": T, "condition3": T},
                {"goal": T},
                5.0,
                0.0,
            ),
            ("cheapSimpleAction", {"start": T}, {"goal": T}, 1.0, 0.0),
        ),
        (("testGoal", {"goal": T}, 0.0),),
    ),
    (
        "goap/tiebreak/multi-step",
        "goap",
        {"start": T, "extra": T, "intermediate": F, "goal": F},
        (
            ("simpleStep1", {"start": T}, {"intermediate": T}, 1.0, 0.0),
            ("specificStep1", {"start": T, "extra": T}, {"intermediate": T}, 1.0, 0.0),
            ("step2", {"intermediate": T}, {"goal": T}, 1.0, 0.0),
        ),
        (("testGoal", {"goal": T}, 0.0),),
    ),
    (
        "goap/edge/zero-preconditions",
        "goap",
        {"start": T, "goal": F},
        (
            ("noPreconditions", {}, {"goal": T}, 1.0, 0.0),
            ("onePrecondition", {"start": T}, {"goal": T}, 1.0, 0.0),
        ),
        (("testGoal", {"goal": T}, 0.0),),
    ),
    (
        "goap/edge/same-precondition-count",
        "goap",
        {"start": T, "condition1": T, "condition2": T, "goal": F},
        (
            ("action1", {"start": T, "condition1": T}, {"goal": T}, 1.0, 0.0),
            ("action2", {"start": T, "condition2": T}, {"goal": T}, 1.0, 0.0),
        ),
        (("testGoal", {"goal": T}, 0.0),),
    ),
    (
        "goap/reachable/two-steps",
        "goap",
        {"start": T, "intermediate": F, "goal": F},
        (
            ("action1", {"start": T}, {"intermediate": T}, 1.0, 0.0),
            ("action2", {"intermediate": T}, {"goal": T}, 1.0, 0.0),
        ),
        (("reachableGoal", {"goal": T}, 0.0),),
    ),
    (
        "goap/already-satisfied",
        "goap",
        {"start": T, "goal": T},
        (("unnecessaryAction", {"start": T}, {"goal": T}, 1.0, 0.0),),
        (("alreadySatisfied", {"goal": T}, 0.0),),
    ),
    (
        "goap/misleading-effects",
        "goap",
        {"start": T, "stepB": F, "goal": F, "wrongContext": F},
        (
            ("actionA", {"start": T}, {"stepB": T}, 0.0, 0.0),
            ("actionB", {"stepB": T}, {"goal": T}, 0.0, 0.0),
            ("misleadingAction", {"start": T}, {"goal": T, "wrongContext": T}, 0.0, 0.0),
            ("misleadingAction2", {"wrongContext": T}, {"goal": T}, 0.0, 0.0),
        ),
        (("testGoal", {"goal": T}, 0.0),),
    ),
    (
        "goap/irrelevant-chain",
        "goap",
        {"start": T, **{f"step{n}": F for n in range(1, 6)}, **{f"noise{n}": T for n in range(11)}},
        (
            ("realAction1", {"start": T}, {"step1": T}, 0.0, 0.0),
            ("realAction2", {"step1": T}, {"step2": T}, 0.0, 0.0),
            ("realAction3", {"step2": T}, {"step3": T}, 0.0, 0.0),
            ("realAction4", {"step3": T}, {"step4": T}, 0.0, 0.0),
            ("realAction5", {"step4": T}, {"step5": T}, 0.0, 0.0),
            ("irrelevantChain1", {"noise0": T}, {"noise1": T}, 0.0, 0.0),
            ("irrelevantChain2", {"noise1": T}, {"noise2": T}, 0.0, 0.0),
            ("irrelevantChain3", {"noise2": T}, {"noise3": T}, 0.0, 0.0),
            ("irrelevantChain4", {"noise3": T}, {"noise4": T}, 0.0, 0.0),
            ("irrelevantChain5", {"noise4": T}, {"noise5": T}, 0.0, 0.0),
            ("irrelevantChain6", {"noise5": T}, {"noise6": T}, 0.0, 0.0),
            ("irrelevantChain7", {"noise6": T}, {"noise7": T}, 0.0, 0.0),
            ("irrelevantChain8", {"noise7": T}, {"noise8": T}, 0.0, 0.0),
            ("irrelevantChain9", {"noise8": T}, {"noise9": T}, 0.0, 0.0),
            ("irrelevantChain10", {"noise9": T}, {"noise10": T}, 0.0, 0.0),
        ),
        (("testGoal", {"step5": T}, 0.0),),
    ),
    (
        "goap/no-undo",
        "goap",
        {"start": T, "A": F, "goal": F},
        (
            ("setA", {"start": T}, {"A": T}, 0.0, 0.0),
            ("unsetA", {"A": T}, {"A": F}, 0.0, 0.0),
            ("reachGoal", {"A": T}, {"goal": T}, 0.0, 0.0),
        ),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "goap/irrelevant-side-effects",
        "goap",
        {"start": T, "A": F, "goal": F, "sideNoise": F, "moreNoise": F},
        (
            ("setA", {"start": T}, {"A": T, "sideNoise": T}, 0.0, 0.0),
            ("reachGoal", {"A": T}, {"goal": T}, 0.0, 0.0),
            ("irrelevantNoise", {"sideNoise": T}, {"moreNoise": T}, 0.0, 0.0),
        ),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "goap/undo-redo-loop",
        "goap",
        {"start": T, "A": F, "goal": F},
        (
            ("setA", {"start": T}, {"A": T}, 0.0, 0.0),
            ("unsetA", {"A": T}, {"A": F}, 0.0, 0.0),
            ("setAagain", {"A": F}, {"A": T}, 0.0, 0.0),
            ("reachGoal", {"A": T}, {"goal": T}, 0.0, 0.0),
        ),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "hybrid/satisfied-returns-empty-despite-actions",
        "hybrid",
        {"ready": T, "goal": T},
        (("noop", {"ready": T}, {"sideEffect": T}, 0.1, 0.5),),
        (("done", {"goal": T}, 0.0),),
    ),
    (
        "hybrid/satisfied-no-actions",
        "hybrid",
        {"goal": T},
        (),
        (("done", {"goal": T}, 0.0),),
    ),
    (
        "hybrid/nirvana-nothing-achievable",
        "hybrid",
        {},
        (("unreachable", {"never_set": T}, {"ignored": T}, 0.0, 0.0),),
        (None,),
    ),
    (
        "hybrid/one-step-finisher",
        "hybrid",
        {"ready": T, "goal": F},
        (("finisher", {"ready": T}, {"goal": T}, 0.2, 1.0),),
        (("done", {"goal": T}, 0.0),),
    ),
    (
        "hybrid/two-goals-research-wins",
        "hybrid",
        {"ready": T, "goal": F},
        (("research", {"ready": T}, {"did_research": T}, 0.1, 1.5),),
        (
            ("done", {"goal": T}, 0.0),
            None,
        ),
    ),
    (
        "hybrid/blocked",
        "hybrid",
        {"goal": F},
        (("blocked", {"never": T}, {"goal": T}, 0.0, 0.0),),
        (("done", {"goal": T}, 0.0),),
    ),
    (
        "derived/unknown/only-path-needs-unknown",
        "goap",
        {"c": U},
        (("go", {"c": T}, {"goal": T}, 0.1, 0.0),),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/unknown/cheaper-if-true",
        "goap",
        {"c": U},
        (
            ("cheap", {"c": T}, {"goal": T}, 0.1, 0.0),
            ("sure", {}, {"goal": T}, 0.5, 0.0),
        ),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/unknown/irrelevant-not-evaluated",
        "goap",
        {"c": U},
        (("sure", {}, {"goal": T}, 0.1, 0.0),),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/unknown/two-unknowns",
        "goap",
        {"c": U, "d": U},
        (("go", {"c": T, "d": T}, {"goal": T}, 0.1, 0.0),),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/unknown/goal-condition-unknown",
        "goap",
        {"goal": U},
        (("go", {}, {"goal": T}, 0.1, 0.0),),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/match/missing-key-is-not-false",
        "goap",
        {},
        (("go", {"blocked": F}, {"goal": T}, 0.1, 0.0),),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/match/unknown-equals-unknown",
        "goap",
        {"c": U},
        (("go", {"c": U}, {"goal": T}, 0.1, 0.0),),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/cost/full-tie-declaration-order",
        "goap",
        {},
        (
            ("b", {}, {"goal": T}, 0.1, 0.0),
            ("a", {}, {"goal": T}, 0.1, 0.0),
        ),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/cost/negative",
        "goap",
        {},
        (
            ("neg1", {}, {"x": T}, -1.0, 0.0),
            ("go", {}, {"goal": T}, 0.1, 0.0),
        ),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/goals/net-value-order",
        "goap",
        {},
        (
            ("a", {}, {"ga": T}, 0.2, 0.0),
            ("b", {}, {"gb": T}, 0.1, 0.0),
        ),
        (
            ("ga", {"ga": T}, 0.5),
            ("gb", {"gb": T}, 0.3),
        ),
    ),
    (
        "derived/goals/tie-keeps-declaration-order",
        "goap",
        {},
        (
            ("a", {}, {"ga": T}, 0.1, 0.0),
            ("b", {}, {"gb": T}, 0.1, 0.0),
        ),
        (
            ("ga", {"ga": T}, 0.0),
            ("gb", {"gb": T}, 0.0),
        ),
    ),
    (
        "derived/goals/asked-goal-only",
        "goap",
        {},
        (
            ("a", {}, {"ga": T}, 0.1, 0.0),
            ("b", {}, {"gb": T}, 0.5, 0.0),
        ),
        (
            ("ga", {"ga": T}, 0.0),
            ("gb", {"gb": T}, 0.0),
        ),
    ),
    (
        "derived/utility/runs-although-satisfied",
        "utility",
        {"ready": T, "goal": T},
        (("noop", {"ready": T}, {"sideEffect": T}, 0.1, 0.5),),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/utility/negative-still-runs",
        "utility",
        {"ready": T},
        (("bad", {"ready": T}, {"n": T}, 0.5, 0.1),),
        (None,),
    ),
    (
        "derived/hybrid/satisfied-but-positive-research-left",
        "hybrid",
        {"ready": T, "goal": T},
        (("research", {"ready": T}, {"did_research": T}, 0.1, 1.5),),
        (
            ("goal", {"goal": T}, 0.0),
            None,
        ),
    ),
    (
        "derived/hybrid/no-nirvana-registered",
        "hybrid",
        {"ready": T},
        (
            ("s1", {"ready": T}, {"m": T}, 0.1, 0.5),
            ("s2", {"m": T}, {"goal": T}, 0.1, 0.5),
        ),
        (("goal", {"goal": T}, 0.0),),
    ),
    (
        "derived/utility/completes-only-when-idle",
        "utility",
        {"ready": T, "goal": T},
        (
            ("extra1", {"ready": T}, {"e1": T}, 0.3, 0.0),
            ("extra2", {"ready": T}, {"e2": T}, 0.4, 0.0),
        ),
        (
            ("goal", {"goal": T}, 0.0),
            None,
        ),
    ),
    (
        "derived/goals/name-nirvana-special",
        "utility",
        {"ready": T},
        (("x", {"ready": T}, {"n": T}, 0.0, 0.1),),
        (("Nirvana", {"n": T}, 0.0),),
    ),
)

ARITHMETIC = {
    "plan/cost": (((2.5, 0.0), (1.5, 0.0), (3.0, 0.0)), 0.0),
    "plan/actions-value": (((0.0, 2.0), (0.0, 3.0), (0.0, 1.0)), 0.0),
    "plan/net-value": (((2.0, 1.0), (3.0, 2.0)), 10.0),
    "plan/negative-values": (((1.0, -2.0), (3.0, 1.0)), -5.0),
}
"""Plans given as (cost, value) of each action, and the goal's value. A negative cost is refused, so theirs is ours."""


def crime_with_padding(count=300):
    """The crime domain among operators that lead nowhere (goap/crime/scalability-300)."""
    padding = tuple(
        (
            f"pad{n}",
            {"hasGun": T, "hasPoison": F, f"uuidA{n}": T},
            {"hasPoison": T, f"uuidB{n}": T, f"uuidC{n}": F},
            3.0,
            0.0,
        )
        for n in range(count)
    )
    return _CRIME + padding


def chain_among_irrelevant(steps, irrelevant):
    """A chain behind operators that lead nowhere (derived/cap)."""
    noise = tuple((f"irr{n}", {"s0": T}, {f"q{n}": T}, 0.1, 0.0) for n in range(1, irrelevant + 1))
    chain = tuple(
        (f"step{n}", {f"p{n - 1}" if n > 1 else "s0": T}, {f"p{n}": T}, 0.1, 0.0) for n in range(1, steps + 1)
    )
    return noise + chain
