"""A crew on Temporal: each worker is a workflow of its own, and nothing is decided twice."""

from scenes import Scene, on

from planboard import Agent, Approve, Crew, Message, Process, ScriptedModel, action, call


@action
def look_up(task: str) -> str:
    """Looks something up."""
    return f"looked up {task}"


@action(approval="Pay {task}?")
def pay(task: str) -> str:
    """Pays somebody."""
    return f"paid {task}"


def crew(*replies: object) -> tuple[Agent, ScriptedModel]:
    model = ScriptedModel(*replies)
    return Crew("crew", [look_up, pay], llm=model, handoff_messages=False), model


def test_workers_of_a_crew_are_workflows_and_one_of_them_may_wait_for_a_person(address):
    """Cases 085, 097."""
    turn = [call("transfer_to_pay", task="Ada"), call("transfer_to_look_up", task="tides")]
    agent, model = crew(turn, "It is paid.")

    async def act(scene: Scene) -> tuple[Process, str]:
        run_id = await scene.runs.submit(agent, "Pay Ada", returning=str)
        request = await scene.asked(run_id)
        await scene.runs.respond(request.id, Approve())
        return await scene.runs.wait(run_id), request.id

    ended, request = on(address, agent)(act)

    said = {str(message) for message in ended.board.all(Message)[1:3]}
    assert ended.result(str) == "It is paid."
    assert [done.action for done in ended.history][::3] == ["supervisor", "supervisor"]
    assert said == {"look_up: looked up tides", "pay: paid Ada"}
    assert request.startswith(f"{ended.id}.")
    assert len(model.requests) == 2
