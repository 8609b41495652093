"""TARGET finds an agent in a file or a module, and loading it leaves no trace."""

import sys

SMALL = """
    from planboard import Agent, achieves_goal, action
    from {helper} import WORD

    @achieves_goal("A word")
    @action
    def say() -> str:
        return WORD

    agent = Agent("sayer", [say])
"""


def test_a_module_is_found_in_the_current_folder(cli, module_file, monkeypatch):
    module_file("shop_of_words/__init__.py", "")
    module_file("shop_of_words/words.py", "WORD = 'hello'")
    module_file("shop_of_words/agents.py", SMALL.format(helper=".words"))

    try:
        assert cli("run", "shop_of_words.agents:agent", "-q").stdout == "hello\n"
    finally:
        for name in [name for name in sys.modules if name.startswith("shop_of_words")]:
            del sys.modules[name]


def test_the_folder_of_a_file_is_importable_and_forgotten_afterwards(cli, module_file):
    before, path = set(sys.modules), list(sys.path)
    for folder, word in (("one", "first"), ("two", "second")):
        module_file(f"{folder}/helper_of_words.py", f"WORD = '{word}'")
        module_file(f"{folder}/agents.py", SMALL.format(helper="helper_of_words"))

    assert cli("run", "one/agents.py", "-q").stdout == "first\n"
    assert cli("run", "two/agents.py", "-q").stdout == "second\n"
    assert sys.path == path
    assert not any("helper_of_words" in name or "agents" in name for name in set(sys.modules) - before)


def test_a_file_named_like_a_module_does_not_replace_it(cli, module_file):
    import json

    module_file("json.py", SMALL.format(helper="os").replace("WORD", "sep"))

    assert cli("run", "json.py", "-q").exit_code == 0
    assert sys.modules["json"] is json


def test_several_agents_are_listed(cli, module_file):
    module_file(
        "two.py",
        SMALL.format(helper="os").replace("WORD", "sep")
        + "\n    one = agent\n    two = Agent('b', [say])\n    del agent",
    )

    done = cli("run", "two.py")

    assert done.exit_code == 2
    assert "several agents in 'two.py': one and two" in done.stderr


def test_a_slip_in_the_name_is_met_with_the_closest(cli):
    assert "Did you mean 'briefer'?" in cli("run", "agents.py:brefer").stderr
    assert "Did you mean 'agents.py'?" in cli("run", "agent.py").stderr
    assert "Did you mean 'agents.py'?" not in cli("run", "agents").stderr


def test_what_is_no_agent_is_refused(cli):
    done = cli("run", "agents.py:Topic.model_fields")

    assert done.exit_code == 2
    assert "not an Agent" in done.stderr


def test_a_function_with_arguments_is_refused(cli):
    assert "needs the arguments topic" in cli("run", "agents.py:research").stderr


def test_a_file_of_a_package_is_named_as_a_module(cli, module_file):
    module_file("pack/agents.py", SMALL.format(helper=".words"))

    done = cli("run", "pack/agents.py")

    assert done.exit_code == 2
    assert "Name it as a module: `package.agents:name`" in done.stderr


def test_an_error_in_the_file_is_told_with_its_place(cli, module_file):
    path = module_file("broken.py", "x = 1\ny = x.nothing\n")

    done = cli("run", "broken.py")

    assert done.exit_code == 1
    assert f"AttributeError: 'int' object has no attribute 'nothing' (at {path}:2)" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_exit_while_the_file_loads_is_no_success(cli, module_file):
    module_file("leaving.py", "import sys\nsys.exit(0)\n")

    done = cli("run", "leaving.py")

    assert done.exit_code == 1
    assert "sys.exit(0) was called" in done.stderr


def test_a_mistake_in_a_declaration_is_told_without_traceback(cli, module_file):
    module_file("wrong.py", "from planboard import action\n@action(cost=7)\ndef f() -> str: ...\n")

    done = cli("check", "wrong.py")

    assert done.exit_code == 1
    assert "cost=7" in done.stderr
