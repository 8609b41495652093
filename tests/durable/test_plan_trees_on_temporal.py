"""A plan tree on Temporal: its workers are workflows of their own, and its model is asked by activities."""

from scenes import Scene, on

from planboard import Ai, PlanTree, Process, ProcessStatus, ScriptedModel, TaskPlan, TaskStep, action

PLAN = TaskPlan(
    goal="Know the tides",
    steps=(
        TaskStep(id="facts", task="Find facts", tags=("research",)),
        TaskStep(id="sums", task="Do the sums", needs=("facts",), tags=("code",)),
    ),
)


@action
async def researcher(task: str) -> str:
    """Find things out."""
    return f"found: {task}"


@action(approval="Run {task}?")
async def coder(task: str) -> str:
    """Compute."""
    return f"computed: {task}"


def tree() -> PlanTree:
    model = ScriptedModel(rules={TaskPlan: PLAN, str: "The report."})  # asked again if a worker was silent for long
    return PlanTree(
        "deep",
        {"researcher": researcher, "coder": coder},
        route={"research": "researcher", "code": "coder"},
        services=[Ai(model)],
        needs=[str],
    )


def test_a_plan_by_a_model_is_carried_out_with_a_person_in_between(address):
    agent = tree()

    async def act(scene: Scene) -> Process:
        run_id = await scene.runs.submit(agent, "What are tides?")
        request = await scene.asked(run_id)
        await scene.runs.respond(request.id, True)
        return await scene.runs.wait(run_id)

    ended = on(address, agent)(act)

    assert ended.status is ProcessStatus.COMPLETED, ended.reason
    assert ended.board["sums"].value == "computed: Do the sums"
