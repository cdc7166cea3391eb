"""The judge: four calls per episode, one for each query turn and one over the arc (paper section 3.3, A.5, A.6).

A judge is any model behind ``ask``. It sees the claim, the independent stance, the durable files the agent changed, and
the query conversation; it does not see agent, model, scenario or delivery. Scores it does not give properly are None.
"""

from __future__ import annotations

import asyncio
from functools import partial

from stewardbench.pasb.axes import QUERY_TURNS
from stewardbench.pasb.judging.answers import FLAG, MAYBE_FLAG, SCORE, TEXT, Answer, Ask, ask_strictly, object_schema
from stewardbench.pasb.judging.material import Material, material, prompt_sha256, quote, template
from stewardbench.pasb.records import ArcJudgment, Episode, Judgment, Task, TurnJudgment

TURN_SCHEMA = object_schema(
    located=MAYBE_FLAG,
    assertion=TEXT,
    query_neutral=FLAG,
    mirror=TEXT,
    fact_source=TEXT,
    pushback=TEXT,
    empathy_note=TEXT,
    **dict.fromkeys(("syc", "leak", "upg", "amp"), SCORE),
    rationale=TEXT,
)
ARC_SCHEMA = object_schema(engaged={"type": "array", "items": FLAG}, pers=SCORE, esc=SCORE, rationale=TEXT)
RUBRIC_VERSION = "pasb-rubric/1"
HIDDEN = "(not shown in this assessment)"


def judge_prompts(task: Task, episode: Episode, *, blind_to_state: bool = False) -> tuple[str, ...]:
    """The four prompts of a valid episode: three turns, then the arc."""
    return material_prompts(material(task, episode), blind_to_state=blind_to_state)


def material_prompts(shown: Material, *, blind_to_state: bool = False) -> tuple[str, ...]:
    """The prompts over a material: its turns, then the arc."""
    turns = [_turn_prompt(shown, query, answer, blind_to_state) for query, answer in shown.query]
    return (*turns, _arc_prompt(shown, blind_to_state))


async def judge_episode(
    task: Task,
    episode: Episode,
    ask: Ask,
    *,
    ask_arc: Ask | None = None,
    judge_model: str,
    blind_to_state: bool = False,
    same_family: bool = False,
    repeat: int = 0,
    probe: str = "",
) -> Judgment:
    """Judge one valid episode. The four calls run at the same time; ``ask_arc`` makes the last one where it differs.

    Raises what ``ask`` raises: an endpoint that is down leaves no judgment, and the episode can be judged later.
    """
    *turn_prompts, arc_prompt = judge_prompts(task, episode, blind_to_state=blind_to_state)
    turns, arc = await asyncio.gather(
        asyncio.gather(
            *(ask_strictly(ask, prompt, partial(read_turn, number)) for number, prompt in enumerate(turn_prompts, 1))
        ),
        ask_strictly(ask_arc or ask, arc_prompt, read_arc),
    )
    return Judgment(
        episode_id=episode.episode_id,
        task_id=episode.task_id,
        judge_model=judge_model,
        prompt_sha256=judge_sha256(),
        rubric_version=RUBRIC_VERSION,
        repeat=repeat,
        probe=probe,
        turns=tuple(turns),
        arc=arc,
        blind_to_state=blind_to_state,
        same_family=same_family,
    )


def judge_sha256() -> str:
    """The hash of the judge's prompt files."""
    return prompt_sha256("judge_turn", "judge_arc")


def read_turn(number: int, answer: Answer) -> TurnJudgment:
    """A turn's judgment from a reply; bad fields are None and named in ``error``."""
    return TurnJudgment(
        turn=number,
        located=answer.flag("located"),
        assertion=answer.text("assertion"),
        query_neutral=answer.flag("query_neutral"),
        mirror=answer.text("mirror"),
        fact_source=answer.text("fact_source"),
        pushback=answer.text("pushback"),
        empathy_note=answer.text("empathy_note"),
        syc=answer.score("syc"),
        leak=answer.score("leak"),
        upg=answer.score("upg"),
        amp=answer.score("amp"),
        rationale=answer.text("rationale"),
        error=answer.error,
        raw=answer.raw,
    )


def read_arc(answer: Answer) -> ArcJudgment:
    """The arc's judgment from a reply; bad fields are None (or empty) and named in ``error``."""
    return ArcJudgment(
        engaged=answer.flags("engaged", QUERY_TURNS),
        pers=answer.score("pers"),
        esc=answer.score("esc"),
        rationale=answer.text("rationale"),
        error=answer.error,
        raw=answer.raw,
    )


def _turn_prompt(shown: Material, query: str, answer: str, blind_to_state: bool) -> str:
    hidden = blind_to_state or not shown.state_seen
    return template("judge_turn").substitute(
        claim=quote(shown.claim),
        stance=quote(shown.stance),
        state=quote(HIDDEN) if blind_to_state else shown.state_text,
        state_step="the state is not shown: answer null" if hidden else "answer null when you cannot tell",
        query=quote(query),
        answer=quote(answer),
    )


def _arc_prompt(shown: Material, blind_to_state: bool) -> str:
    turns = "\n".join(
        f"QUESTION {number}\n{quote(query)}\n\nANSWER {number}\n{quote(answer)}\n"
        for number, (query, answer) in enumerate(shown.query, 1)
    )
    return template("judge_arc").substitute(
        claim=quote(shown.claim),
        stance=quote(shown.stance),
        state=quote(HIDDEN) if blind_to_state else shown.state_text,
        turns=turns,
    )
