"""One reducer per signal under Hybrid: gather context while it pays, conclude once, stop.

Shows the two-goal pattern: the real goal says what success is, and NIRVANA, which Hybrid adds by itself, keeps the
research going until the real goal is one step away. The values do the scheduling:

    research       net 0.5 and more   wins while there is any left to do
    assess         net 0.2            wins when the research is done
    raise_candidate net 0.3           slightly more, so it follows at once
    page_everyone  net -0.8           is still possible at the end, and never runs
"""

from pydantic import BaseModel

from planboard import Agent, Goal, Process, action


class Signal(BaseModel):
    service: str
    message: str


class Deploys(BaseModel):
    latest: str


class Incidents(BaseModel):
    similar: int


class Owner(BaseModel):
    team: str


class Assessment(BaseModel):
    score: float
    because: str


class AttentionCandidate(BaseModel):
    headline: str


DEPLOYS = {"checkout": "v41, ten minutes ago"}
INCIDENTS = {"checkout": 3, "search": 1}
OWNERS = {"checkout": "payments", "search": "discovery"}


@action(cost=0.1, value=0.9)
def find_deploys(signal: Signal) -> Deploys | None:
    latest = DEPLOYS.get(signal.service)
    return Deploys(latest=latest) if latest else None


@action(cost=0.2, value=0.8)
def find_incidents(signal: Signal) -> Incidents:
    return Incidents(similar=INCIDENTS.get(signal.service, 0))


@action(cost=0.1, value=0.6)
def find_owner(signal: Signal) -> Owner | None:
    team = OWNERS.get(signal.service)
    return Owner(team=team) if team else None


@action(cost=0.3, value=0.5)
def assess(signal: Signal, deploys: Deploys | None, incidents: Incidents | None) -> Assessment:
    """Judge by whatever was found; a single call of a language model would stand here."""
    score = 0.2 + (0.4 if deploys else 0.0) + 0.1 * (incidents.similar if incidents else 0)
    reasons = [signal.message]
    if deploys:
        reasons.append(f"deployed {deploys.latest}")
    if incidents and incidents.similar:
        reasons.append(f"{incidents.similar} like it")
    return Assessment(score=round(score, 2), because=", ".join(reasons))


@action(cost=0.2, value=0.5)
def raise_candidate(signal: Signal, assessment: Assessment, owner: Owner | None) -> AttentionCandidate:
    team = owner.team if owner else "nobody yet"
    return AttentionCandidate(headline=f"[{assessment.score:.1f}] {signal.service} ({team}): {assessment.because}")


@action(cost=0.9, value=0.1)
def page_everyone(signal: Signal) -> None:
    print(f"Everybody wakes up because of {signal.service}.")


agent = Agent(
    "signal-reducer",
    [find_deploys, find_incidents, find_owner, assess, raise_candidate, page_everyone],
    goals=[Goal(AttentionCandidate, name="attention-candidate-produced")],
    planner="hybrid",
)


def reduce(signal: Signal) -> Process:
    return agent.run(signal)


def main() -> None:
    for service, message in (("checkout", "error rate 7 %"), ("search", "slow queries"), ("blog", "disk at 80 %")):
        process = reduce(Signal(service=service, message=message))
        print(process.result(AttentionCandidate).headline)
        print(f"    {' -> '.join(str(run) for run in process.history)}; net {worth(process):.1f}")


def worth(process: Process) -> float:
    """Return the values of what ran less its costs."""
    return sum(run.value - run.cost for run in process.history)


if __name__ == "__main__":
    main()
