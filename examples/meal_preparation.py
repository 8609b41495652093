"""Meal preparation: three typed actions, and a model that decides, without an agent of one's own.

Shows `supervise` and currying: the cook and the order come from what the guest says; both are needed for the meal.
What is on the board is curried away, so there is nothing the model could get wrong between the steps: it is asked once,
and calls two tools at once.
"""

import model_choice
from pydantic import BaseModel, Field

from planboard import Ai, ScriptedModel, achieves_goal, action, call, supervise

REQUEST = "Ada would like two mushroom pies, and Ben should cook them."


class UserInput(BaseModel):
    content: str


class Cook(BaseModel):
    name: str


class Order(BaseModel):
    dish: str
    quantity: int = Field(ge=1)


class Meal(BaseModel):
    dish: str
    quantity: int
    ordered_by: str
    cooked_by: str


class People(BaseModel):
    """Both at once: a small model that is asked for one of them gives whoever is named first."""

    guest: str = Field(description="Who orders the food.")
    cook: str = Field(description="Who shall cook it.")


class Stages:
    @action
    async def choose_cook(self, user_input: UserInput, ai: Ai) -> Cook:
        """Choose the cook whom the guest asks for."""
        people = await ai.create(f"Who orders, and who shall cook?\n{ai.data(user_input)}", People)
        return Cook(name=people.cook)

    @action
    async def take_order(self, user_input: UserInput, ai: Ai) -> Order:
        """Take the guest's order."""
        return await ai.create(f"Which dish is ordered here, and how many of it?\n{ai.data(user_input)}", Order)

    @achieves_goal("The meal, cooked according to the order")
    @action
    async def prepare_meal(self, cook: Cook, order: Order, user_input: UserInput, ai: Ai) -> Meal:
        """Cook the meal."""
        people = await ai.create(f"Who orders, and who shall cook?\n{ai.data(user_input)}", People)
        return Meal(dish=order.dish, quantity=order.quantity, ordered_by=people.guest, cooked_by=cook.name)


def script() -> ScriptedModel:
    return ScriptedModel(
        [call("choose_cook"), call("take_order")],
        rules={
            People: People(guest="Ada", cook="Ben"),
            Order: Order(dish="mushroom pie", quantity=2),
        },
    )


def main() -> None:
    command = model_choice.parser(__doc__)
    command.add_argument("request", nargs="?", default=REQUEST, help="what the guest says")
    options = command.parse_args()
    model = model_choice.chosen(options, script())
    meal = supervise(Stages(), UserInput(content=options.request), returning=Meal, llm=model)
    print(f"{meal.quantity} x {meal.dish} for {meal.ordered_by}, cooked by {meal.cooked_by}")


if __name__ == "__main__":
    main()
