"""Market research: a model decides what to find out, in what order, and words every request itself.

Shows request types: nothing produces a `MarketDataRequest`, so the model builds it, against the type's schema, when it
calls the tool.
The report needs the findings: its tool is not offered before they are on the board, so they cannot be made up.
The same actions run under any planner: with the requests on the board GOAP runs them without a model for decisions.
"""

from typing import Annotated

import model_choice
from pydantic import AfterValidator, BaseModel, Field

from planboard import Agent, Ai, ProcessOptions, ScriptedModel, Supervisor, achieves_goal, action, call

TOPIC = "cloud storage: Nimbus, Stratus and Cirrus"


class Brief(BaseModel):
    question: str


class MarketDataRequest(BaseModel):
    topic: str = Field(description="The market.")


class MarketData(BaseModel):
    revenues: dict[str, str] = Field(description="Yearly revenue by company.")
    market_share: dict[str, float] = Field(description="Share of the market by company, from 0 to 1.")


def one_by_one(names: list[str]) -> list[str]:
    """Refuse two companies in one text; the model is told, and calls again."""
    for name in names:
        if " and " in name or "," in name:
            message = f"give each company by itself, not {name!r}"
            raise ValueError(message)
    return names


Companies = Annotated[list[str], Field(min_length=1), AfterValidator(one_by_one)]


class CompetitorAnalysisRequest(BaseModel):
    companies: Companies


class CompetitorAnalysis(BaseModel):
    strengths: dict[str, list[str]] = Field(description="Strengths by company.")


class ReportRequest(BaseModel):
    title: str
    companies: Companies


class FinalReport(BaseModel):
    title: str
    sections: list[str] = Field(min_length=1)


@action
async def gather_market_data(request: MarketDataRequest, ai: Ai) -> MarketData:
    """Gather market data: revenues and market share."""
    return await ai.create(f"Invent plausible market data for: {ai.data(request.topic)}", MarketData)


@action
async def analyze_competitors(request: CompetitorAnalysisRequest, ai: Ai) -> CompetitorAnalysis:
    """Analyze competitors: strengths and positioning."""
    return await ai.create(f"Invent two strengths for each of these: {ai.data(request.companies)}", CompetitorAnalysis)


@achieves_goal("All findings, compiled into a final report")
@action
async def compile_report(request: ReportRequest, market: MarketData, rivals: CompetitorAnalysis, ai: Ai) -> FinalReport:
    """Compile the final report."""
    summary = await ai.text(f"Sum this up in two sentences, with numbers: {ai.data(market)}{ai.data(rivals)}")
    profiles = [f"{name}: {', '.join(rivals.strengths.get(name, ['no findings']))}" for name in request.companies]
    return FinalReport(title=request.title, sections=[summary, *profiles])


agent = Agent("market research", [gather_market_data, analyze_competitors, compile_report])


def script() -> ScriptedModel:
    companies = ["Nimbus", "Stratus", "Cirrus"]
    return ScriptedModel(
        [
            call("gather_market_data", request={"topic": "cloud storage"}),
            call("analyze_competitors", request={"companies": companies}),
        ],
        rules={
            "compile_report": {"request": {"title": "Cloud storage", "companies": companies}},
            MarketData: {
                "revenues": {"Nimbus": "$10B", "Stratus": "$4B", "Cirrus": "$2B"},
                "market_share": {"Nimbus": 0.6, "Stratus": 0.25, "Cirrus": 0.15},
            },
            CompetitorAnalysis: {"strengths": {"Nimbus": ["price"], "Stratus": ["privacy"], "Cirrus": ["speed"]}},
            str: "Nimbus leads with 60 % of the market and $10B. Stratus and Cirrus share the rest.",
        },
    )


def main() -> None:
    command = model_choice.parser(__doc__)
    command.add_argument("question", nargs="?", default=TOPIC)
    options = command.parse_args()
    report = agent.run(
        Brief(question=options.question),
        returning=FinalReport,
        planner=Supervisor(llm=model_choice.chosen(options, script())),
        options=ProcessOptions(listeners=(model_choice.told(),)),
    )
    print("", report.title, *report.sections, sep="\n- ")


if __name__ == "__main__":
    main()
