"""What `import planboard` costs beyond pydantic, in CPU milliseconds, each in a fresh interpreter.

Run it with `python benchmarks/imports.py`. The best of several runs is printed; the budget is 150 ms.
"""

import os
import subprocess
import sys

RUNS = 7
EVERYTHING = (
    "from planboard import Agent, Goap, Hybrid, Utility, ActionContext, achieves_goal, action, arun, condition, run"
)
STATEMENTS = {
    "pydantic": "from pydantic import BaseModel, TypeAdapter; import pydantic.dataclasses; "
    "type('M', (BaseModel,), {'__annotations__': {'x': int}})",
    "import planboard": "import planboard",
    "the names that most programs use": EVERYTHING,
}


def cpu_ms(statement: str) -> float:
    program = (
        "import time, pydantic\n"
        f"{STATEMENTS['pydantic']}\n"
        "before = time.process_time()\n"
        f"{statement}\n"
        "print((time.process_time() - before) * 1000)"
    )
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout)


def main() -> None:
    for name, statement in STATEMENTS.items():
        if name != "pydantic":
            best = min(cpu_ms(statement) for _ in range(RUNS))
            print(f"{name:<36} {best:7.1f} ms CPU beyond pydantic")


if __name__ == "__main__":
    main()
