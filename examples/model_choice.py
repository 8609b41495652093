"""Which model an example uses: its script by default, or any OpenAI-compatible server.

`--model NAME --base-url URL` says so, or `PLANBOARD_MODEL`, `OPENAI_BASE_URL` and `OPENAI_API_KEY` in the environment:
a hosted service, Ollama (`http://localhost:11434/v1`), llama.cpp (`http://localhost:8080/v1`) and so on.
"""

import argparse
import os
from collections.abc import Callable

from planboard import Event, LanguageModel, OpenAIModel, ScriptedModel
from planboard.observe.progress import Progress


def parser(about: str | None) -> argparse.ArgumentParser:
    """Return a command line with the options of this module."""
    made = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--model", default=os.environ.get("PLANBOARD_MODEL"), help="a model's name; by default a script")
    made.add_argument("--base-url", help="the server, if it is not OpenAI's")
    return made


def told() -> Callable[[Event], None]:
    """Return a listener that prints what happens, line by line."""
    progress = Progress()

    def tell(event: Event) -> None:
        for line in progress.tell(event):
            print(line)

    return tell


def chosen(options: argparse.Namespace, script: ScriptedModel) -> LanguageModel:
    """Return the model that the command line asks for, else the script."""
    if options.model is None and options.base_url is None:
        return script
    return OpenAIModel(options.model, options.base_url, timeout=300.0)
