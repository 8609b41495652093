"""GitHub issues under Utility: nobody knows beforehand what an issue will need, so what is worth most now is done.

Shows a component with its own dependencies, text preconditions, `None` to stop everything that would follow, objects
added beside the result, and a second team that contributes actions without knowing the first.
"""

from typing import Annotated

from pydantic import BaseModel

from planboard import ActionContext, Agent, Named, action


class Issue(BaseModel):
    number: int
    title: str
    body: str = ""


class NewEntities(BaseModel):
    kinds: list[str]


class IssueAssessment(BaseModel):
    summary: str
    urgency: float


class Repository:
    """Stands for GitHub and a database: it knows some issues already, and notes what is done."""

    def __init__(self, *known: int) -> None:
        self.known = set(known)
        self.done: list[str] = []


Saved = Annotated[Issue, Named("gh_issue")]
"""An issue under the name that `save_new_issue` gives it: the one that was handed in does not count."""


class IssueActions:
    """The community team's actions."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    @action(output="gh_issue", cost=0.1, value=0.9)
    def save_new_issue(self, issue: Issue, context: ActionContext) -> Issue | None:
        """Save an issue; nothing for one we have, so that nothing else happens to it."""
        if issue.number in self.repository.known:
            return None
        self.repository.known.add(issue.number)
        context.add(NewEntities(kinds=["issue"]))
        return issue

    @action(pre=["new_entities.kinds.exists(kind, kind == 'issue')"], cost=0.3, value=0.9)
    def react_to_new_issue(self, issue: Saved, new_entities: NewEntities) -> IssueAssessment:
        """Assess the issue. A language model would; here a few words decide."""
        urgent = any(word in issue.title.lower() for word in ("crash", "down", "data loss"))
        return IssueAssessment(summary=issue.title, urgency=0.9 if urgent else 0.0)

    @action(pre=["issue_assessment.urgency > 0.0"], cost=0.2, value=0.7)
    def page_on_call(self, issue: Saved, issue_assessment: IssueAssessment) -> None:
        self.repository.done.append(f"page on-call for #{issue.number}, urgency {issue_assessment.urgency}")

    @action(cost=0.1, value=0.3)
    def thank_author(self, issue: Saved) -> None:
        self.repository.done.append(f"thank the author of #{issue.number}")


class LabelActions:
    """Another team's actions, about the same types."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    @action(pre=["gh_issue.title.contains('docs') || gh_issue.body.contains('docs')"], cost=0.1, value=0.5)
    def label_documentation(self, gh_issue: Saved) -> None:
        self.repository.done.append(f"label #{gh_issue.number} documentation")


def triage_agent(repository: Repository) -> Agent:
    return Agent("issue-triage", [IssueActions(repository), LabelActions(repository)], planner="utility")


agent = triage_agent(Repository(7))


def main() -> None:
    repository = Repository(7)
    triage = triage_agent(repository)
    for issue in (
        Issue(number=7, title="Crash on start"),
        Issue(number=8, title="Crash when saving", body="The docs say it works."),
        Issue(number=9, title="Typo in the docs"),
    ):
        repository.done.clear()
        process = triage.run(issue)
        print(f"#{issue.number} {issue.title}: {process.status}")
        print(f"  ran: {', '.join(str(run) for run in process.history)}")
        print(f"  did: {'; '.join(repository.done) or 'nothing'}")


if __name__ == "__main__":
    main()
