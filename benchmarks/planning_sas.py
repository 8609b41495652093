"""A task in the format of Fast Downward's search program, as its own translator would write it."""

from typing import Any


def sas(task: dict[str, Any]) -> str:
    """Return the task in Fast Downward's own format: one variable a fact, value 0 true and 1 false."""
    number = {name: index for index, name in enumerate(task["facts"])}
    start = set(task["start"])
    lines = ["begin_version", "3", "end_version", "begin_metric", "1", "end_metric", str(len(number))]
    for name, index in number.items():
        atoms = [f"Atom {name}()", f"NegatedAtom {name}()"]
        lines += ["begin_variable", f"var{index}", "-1", "2", *atoms, "end_variable"]
    lines += ["0", "begin_state", *("0" if name in start else "1" for name in number), "end_state"]
    lines += ["begin_goal", str(len(task["goal"])), *(f"{number[name]} 0" for name in task["goal"]), "end_goal"]
    lines.append(str(len(task["operators"])))
    for name, pre, effects, cost in task["operators"]:
        value = {fact: 0 if true else 1 for fact, true in pre.items()}
        prevail = [f"{number[fact]} {value[fact]}" for fact in pre if fact not in effects]
        changes = [f"0 {number[fact]} {value.get(fact, -1)} {0 if true else 1}" for fact, true in effects.items()]
        scaled = round(cost * task["scale"])
        lines += ["begin_operator", name, str(len(prevail)), *prevail, str(len(changes)), *changes]
        lines += [str(scaled), "end_operator"]
    return "\n".join([*lines, "0", ""])
