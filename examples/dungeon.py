"""Into a dungeon and out again under GOAP: things are used up, and some doors open only when something is *not* so.

Shows inputs that are consumed, preconditions that must be false, promises (`post=`), and a plan that explains itself.
The key is found only by light, the dragon sleeps only in the dark, and there is oil for one time: the planner finds
the order, and leaves out the dear ways past the dragon and into the chest.
"""

from pydantic import BaseModel

from planboard import ActionContext, Agent, Not, Plan, achieves_goal, action


class Hero(BaseModel):
    name: str


class Hall(BaseModel):
    doors: int


class Oil(BaseModel):
    flasks: int


class Key(BaseModel):
    material: str


class Vault(BaseModel):
    dragon_awake: bool


class Treasure(BaseModel):
    gold: int


class Escape(BaseModel):
    story: str


@action(cost=0.1)
def enter(hero: Hero) -> tuple[Hall, Oil]:
    """Go down, with an unlit lamp: a condition that nobody has set is false."""
    return Hall(doors=2), Oil(flasks=1)


@action(cost=0.1, pre=[Not("lamp_lit")], post=["lamp_lit"], consumes=Oil)
def light_lamp(oil: Oil, context: ActionContext) -> None:
    """Burn the oil; there is no more of it."""
    context.set_condition("lamp_lit", True)


@action(cost=0.05, pre=["lamp_lit"], post=[Not("lamp_lit")])
def put_out_lamp(hall: Hall, context: ActionContext) -> None:
    context.set_condition("lamp_lit", False)


@action(cost=0.1, pre=["lamp_lit"])
def find_key(hall: Hall) -> Key:
    return Key(material="silver")


@action(cost=0.2, pre=[Not("lamp_lit")])
def sneak_past_dragon(hall: Hall, key: Key) -> Vault:
    """Unlock the side door, without a sound."""
    return Vault(dragon_awake=False)


@action(cost=0.9)
def fight_dragon(hall: Hall) -> Vault:
    return Vault(dragon_awake=True)


@action(cost=0.1, consumes=Key)
def open_chest(vault: Vault, key: Key) -> Treasure:
    """Turn the key once more, and it breaks."""
    return Treasure(gold=100)


@action(cost=0.8)
def smash_chest(vault: Vault) -> Treasure:
    return Treasure(gold=60)


@achieves_goal("Out again, and rich", value=1.0)
@action(cost=0.1)
def leave(hero: Hero, treasure: Treasure, vault: Vault) -> Escape:
    dragon = "chased by a dragon" if vault.dragon_awake else "while the dragon sleeps"
    return Escape(story=f"{hero.name} leaves with {treasure.gold} gold, {dragon}.")


agent = Agent(
    "dungeon",
    [enter, light_lamp, put_out_lamp, find_key, sneak_past_dragon, fight_dragon, open_chest, smash_chest, leave],
)


def main() -> None:
    hero = Hero(name="Ada")
    plan = agent.plan(hero)
    assert isinstance(plan, Plan)  # noqa: S101 - else it would be a NoPlan, which says why
    print(plan.explain(alternatives=True))
    print()
    print(agent.run(hero, returning=Escape).story)


if __name__ == "__main__":
    main()
