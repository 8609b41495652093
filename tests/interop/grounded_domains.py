"""All that grounding and planning make of the textbook domains, as text."""

from pddl_domains import KNOWN_OPTIMA

from planboard.interop.pddl import from_pddl
from planboard.planners import Goap


def fingerprints():
    groundings = [from_pddl(domain, problem) for domain, problem, _ in KNOWN_OPTIMA.values()]
    names = [[operator.name for operator in grounding.problem.operators] for grounding in groundings]
    return str((names, [Goap().plan(grounding.problem).fingerprint for grounding in groundings]))
