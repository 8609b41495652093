"""Market research: a model decides what to find out, in what order, and words every request itself.

Shows request types: nothing produces a `MarketDataRequest`, so the model builds it, against the type's schema, when it
calls the tool.
The report needs the findings: its tool is not offered before they are on the board, so they cannot be made up.
The same actions run under any planner: with the requests on the board GOAP runs them without a model for decisions.
"""

import model_choice
from pydantic import BaseModel, Field

from planboard import Agent, Ai, ProcessOptions, ScriptedModel, Supervisor, achieves_goal, action, call

TOPIC = "cloud storage: Nimbus, Stratus and Cirrus"


class Brief(BaseModel):
    question: str


class MarketDataRequest(BaseModel):
    topic: str = Field(description="The market.")


class MarketData(BaseModel):
    revenues: dict[str, str] = Field(description="Yearly revenue by company.")
    market_share: dict[str, float] = Field(description="Share of the market by company, from 0 to 1.")


class CompetitorAnalysisRequest(BaseModel):
    companies: list[str] = Field(min_length=1, description="The companies that the brief names, one by one.")


class CompetitorAnalysis(BaseModel):
    strengths: dict[str, list[str]] = Field(description="Strengths by company.")


class ReportRequest(BaseModel):
    title: str
    companies: list[str] = Field(min_length=1, description="The companies that the brief names, one by one.")


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
async def compile_report(
    request: ReportRequest, market: MarketData, competitors: CompetitorAnalysis, ai: Ai
) -> FinalReport:
    """Compile the final report."""
    findings = f"{ai.data(market)}{ai.data(competitors)}"
    summary = await ai.text(f"Sum this up in two sentences, with numbers: {findings}")
    profiles = [f"{name}: {', '.join(competitors.strengths.get(name, ['no findings']))}" for name in request.companies]
    return FinalReport(title=request.title, sections=[summary, *profiles])


agent = Agent(
    "market research",
    [gather_market_data, analyze_competitors, compile_report],
    description="Reports on the companies of a market.",
)


def script() -> ScriptedModel:
    companies = ["Nimbus", "Stratus", "Cirrus"]
    return ScriptedModel(
        [
            call("gather_market_data", request={"topic": "cloud storage"}),
            call("analyze_competitors", request={"companies": companies}),
        ],
        rules={
            "compile_report": {"request": {"title": "Cloud storage", "companies": companies}},
            MarketData: MarketData(
                revenues={"Nimbus": "$10B", "Stratus": "$4B", "Cirrus": "$2B"},
                market_share={"Nimbus": 0.6, "Stratus": 0.25, "Cirrus": 0.15},
            ),
            CompetitorAnalysis: CompetitorAnalysis(
                strengths={"Nimbus": ["price", "reach"], "Stratus": ["privacy"], "Cirrus": ["speed"]}
            ),
            str: "Nimbus leads with 60 % of the market and $10B. Stratus and Cirrus share the rest.",
        },
    )


def main() -> None:
    command = model_choice.parser(__doc__)
    command.add_argument("question", nargs="?", default=TOPIC, help="what to report on")
    options = command.parse_args()
    report = agent.run(
        Brief(question=options.question),
        returning=FinalReport,
        planner=Supervisor(llm=model_choice.chosen(options, script())),
        options=ProcessOptions(listeners=(model_choice.told(),)),
    )
    print(f"\n{report.title}")
    for section in report.sections:
        print(f"- {section}")


if __name__ == "__main__":
    main()
