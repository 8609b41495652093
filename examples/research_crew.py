"""A researcher and a coder under a supervisor: the task that supervisors are usually shown with, message by message.

Shows a Crew, and what its two knobs cost: `output` says what of a worker's work goes into the shared history, and
`handoff_messages` whether the hand-offs do. The trace is the same in every mode.
"""

import model_choice

from planboard import Crew, Message, ProcessOptions, ScriptedModel, ScriptedRequest, call, chat_agent, on_handoff

TASK = "How many kilometres are 26.2 miles?"
MODES = [(output, tells) for output in ("full", "last", "typed") for tells in (True, False)]


def lookup(query: str) -> str:
    """Look up a fact."""
    return "A mile is 1.609344 kilometres." if "mile" in query else "Nothing is known about that."


def multiply(one: float, other: float) -> float:
    """Multiply two numbers."""
    return round(one * other, 2)


def crew(llm: object, **options: object) -> Crew:
    """Return the crew, with a model for all; a worker may have one of its own: `chat_agent(..., llm=...)`."""
    workers = [
        chat_agent("researcher", "You look up facts.", tools=[lookup], description="Looks up facts."),
        chat_agent("coder", "You compute.", tools=[multiply], description="Computes."),
    ]
    return Crew("research", workers, llm=llm, **options)


def play(request: ScriptedRequest) -> object:
    """Play all three: each goes by what it is told."""
    if "lookup" in request.tools:
        known = "1.609344" in request.text
        return "A mile is 1.609344 kilometres." if known else call("lookup", query="length of a mile")
    if "multiply" in request.tools:
        known = "42.16" in request.text
        return "26.2 miles are 42.16 kilometres." if known else call("multiply", one=26.2, other=1.609344)
    if "coder" in request.prompt:
        return "26.2 miles are 42.16 kilometres."
    if "researcher" in request.prompt:
        return call("transfer_to_coder", task="Multiply 26.2 by 1.609344.")
    return call("transfer_to_researcher", task="How long is a mile in kilometres?")


agent = crew(ScriptedModel(rules=play))


def told(to: str, argument: str) -> None:
    """Say who is handed what."""
    print(f"-> {to}: {argument}")


def main() -> None:
    options = model_choice.parser(__doc__).parse_args()
    model = model_choice.chosen(options, ScriptedModel(rules=play))
    process = crew(model).run(TASK, options=ProcessOptions(listeners=(on_handoff(told),)))
    print(process.result(str))
    print(" > ".join(done.action for done in process.history))
    print()
    print(f"{'output':8}{'hand-offs':>10}{'messages':>10}{'characters':>12}")
    for output, tells in MODES:
        messages = crew(model, output=output, handoff_messages=tells).run(TASK).board.all(Message)
        characters = sum(len(message.content) for message in messages)
        print(f"{output:8}{'yes' if tells else 'no':>10}{len(messages):>10}{characters:>12}")


if __name__ == "__main__":
    main()
