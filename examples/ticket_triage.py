"""Support tickets under Utility with states: what a ticket is decides which actions there are.

Shows an action that classifies by returning a `@state`, and one achieving action for each state. Entering a state
hides everything else, so only the way of this category is left; all ways end in the same type.
"""

from dataclasses import dataclass

from pydantic import BaseModel

from planboard import Agent, achieves_goal, action, state


class Ticket(BaseModel):
    id: str
    description: str
    customer_id: str


class ResolvedTicket(BaseModel):
    id: str
    resolution: str
    handled_by: str


@state
@dataclass(frozen=True)
class TicketCategory:
    """What all categories share: they carry the ticket."""

    ticket: Ticket


class CriticalTicket(TicketCategory):
    @achieves_goal("A critical ticket is escalated at once")
    @action
    def handle_critical(self) -> ResolvedTicket:
        return ResolvedTicket(
            id=self.ticket.id, resolution="Escalated to on-call engineer", handled_by="critical response"
        )


class BugTicket(TicketCategory):
    @achieves_goal("A bug is logged")
    @action
    def handle_bug(self) -> ResolvedTicket:
        return ResolvedTicket(id=self.ticket.id, resolution="Bug logged in issue tracker", handled_by="engineering")


class GeneralTicket(TicketCategory):
    @achieves_goal("A general inquiry is answered")
    @action
    def handle_general(self) -> ResolvedTicket:
        return ResolvedTicket(id=self.ticket.id, resolution="Response sent with FAQ links", handled_by="support")


@action
def triage_ticket(ticket: Ticket) -> TicketCategory:
    """Decide what kind of ticket it is."""
    words = ticket.description.lower()
    if "down" in words:
        return CriticalTicket(ticket)
    return BugTicket(ticket) if "bug" in words else GeneralTicket(ticket)


agent = Agent("ticket-triage", [triage_ticket], planner="utility")


def main() -> None:
    for number, description in enumerate(("The site is down!", "A bug in the export", "How do I pay?"), 1):
        process = agent.run(Ticket(id=f"T-{number}", description=description, customer_id="ada"))
        resolved = process.result(ResolvedTicket)
        print(f"{resolved.id} {description!r} -> {resolved.handled_by}: {resolved.resolution}")
        print(f"    {' -> '.join(str(run) for run in process.history)}; goal {process.goal}")


if __name__ == "__main__":
    main()
