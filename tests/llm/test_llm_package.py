"""The package of models: all of it by name, and nothing heavy before it is used."""

import subprocess
import sys

import planboard.llm


def test_every_name_has_a_home_and_the_other_way_round():
    from_table = {name for names in planboard.llm._HOMES.values() for name in names}

    assert set(planboard.llm.__all__) == from_table
    assert [name for name in planboard.llm.__all__ if not hasattr(planboard.llm, name)] == []


def test_naming_all_of_it_loads_no_client_library():
    program = (
        "import sys\nfrom planboard.llm import *\n"
        "print([name for name in ('openai', 'instructor', 'jinja2', 'asyncio', 'anyio') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
