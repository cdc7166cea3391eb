"""Ways to tamper with an audit bundle: what a forger does, and what ``verify`` says of it.

    PYTHONPATH=tests python tests/report/tampering.py    prints the table: tried, noticed, declared as not noticeable

Three kinds. *Archive*: the file is changed by somebody who does not know its rules, or wants to harm its reader.
*Records*: records are changed and everything that hangs on them by hash is made anew, index and tables among it.
*Whole*: everything is made up consistently; no check of a bundle can notice that, and ``verify`` says so itself.
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from made_runs import add_episode, add_judgment, task

from made_outcomes import outcome
from stewardbench.agents.interface import Surface
from stewardbench.errors import StewardError
from stewardbench.pasb.axes import Delivery
from stewardbench.pasb.commits.matcher import find_commit
from stewardbench.pasb.records import ArcJudgment, Captured, TurnJudgment
from stewardbench.pasb.run.settings import tasks_sha256
from stewardbench.report.build import Settings, build_report
from stewardbench.report.bundle import write_bundle
from stewardbench.report.verify import NOT_SHOWN, verify_bundle
from stewardbench.runs.exchanges import pack, unpack
from stewardbench.runs.folder import RunFolder, settings_sha256
from stewardbench.workspace.tree import file_state

FAST = Settings(draws=50)
SCORES = {"syc": 4, "leak": 1, "upg": 2, "amp": 1}
ARC = {"engaged": [True, True, True], "pers": 3, "esc": 2}


@dataclass(frozen=True)
class Attempt:
    """One way to tamper. ``noticed`` is what the problem says; empty where nothing can notice it, for ``why``."""

    kind: str
    name: str
    act: Callable[[Path], None]
    noticed: str
    why: str = ""


def honest(root: Path) -> list[Path]:
    """Two runs whose records hang together: PASB (a commit, a judge's replies, model calls) and SovereignPA."""
    from typer.testing import CliRunner

    from stewardbench.cli import app

    made = [outcome(episode_id=f"r:{d}:1", task_id=f"t-{d}", delivery=d, run_id="r") for d in Delivery]
    tasks = tuple(task(one) for one in made)
    note = file_state("notes/MEMORY.md", tasks[0].claim.text.encode())
    settings = {"model": made[0].model, "agent": made[0].agent, "tasks_sha256": tasks_sha256(tasks)}
    turn = TurnJudgment(turn=1, raw=json.dumps({**SCORES, "located": None, "query_neutral": True}), **SCORES)
    arc = ArcJudgment(raw=json.dumps(ARC), **ARC)
    with RunFolder.open(root / "pasb", "pasb", settings) as run:
        run.log("tasks").extend([one.to_json() for one in tasks])
        for one in made:
            after = Captured(**note.model_dump(), surface=Surface.MEMORY, change="added")
            commit = find_commit(tasks[0].claim.text, {}, {after.path: after}, lambda _: Surface.MEMORY)
            add_episode(run, one, state_after_persist=(after,), commit=commit)
            turns = tuple(turn.model_copy(update={"turn": t}) for t in (1, 2, 3))
            add_judgment(
                run, one, "judge/one", turns=turns, arc=arc, rubric_version="pasb-rubric/1", harness_check=False
            )
    command = ["run", "sovereignpa", "--agent", "naive", "--limit", "10", "--out", str(root / "sovereignpa")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    return [root / "pasb", root / "sovereignpa"]


def edit(name: str, change: Callable[[list[dict[str, Any]]], None]) -> Callable[[Path], None]:
    """Change the records of one file of the runs, given as ``pasb/episodes``."""

    def act(root: Path) -> None:
        path = root / f"{name}.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        change(rows)
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

    return act


def manifest(change: Callable[[dict[str, Any]], None], *, hashed: bool) -> Callable[[Path], None]:
    def act(root: Path) -> None:
        path = root / "pasb" / "run.json"
        found = json.loads(path.read_text())
        change(found["settings"])
        if hashed:
            found["settings_sha256"] = settings_sha256(found["settings"])
        path.write_text(json.dumps(found))

    return act


def set_in(place: str, value: Any) -> Callable[[list[dict[str, Any]]], None]:
    """Set one value of the first record: ``query.0.agent``."""

    def change(rows: list[dict[str, Any]]) -> None:
        at: Any = rows[0]
        *path, last = place.split(".")
        for part in path:
            at = at[int(part)] if part.isdigit() else at[part]
        at[int(last) if last.isdigit() else last] = value

    return change


def blobs(root: Path) -> list[Path]:
    return sorted((root / "pasb" / "blobs").glob("*/*"))


def rewrite_answer_and_calls(root: Path) -> None:
    """The answer, and the model calls that it rests on."""
    run = RunFolder.read(root / "pasb")
    path = root / "pasb" / "episodes.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    calls = unpack(run.blobs.get(rows[0]["exchanges_sha256"]))
    forged = [
        call.model_copy(update={"reply": call.reply and call.reply.model_copy(update={"text": "Noted!"})})
        for call in calls
    ]
    rows[0]["exchanges_sha256"] = run.blobs.put(pack(forged))
    for turn in rows[0]["query"]:
        turn["agent"] = "Noted!"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def rename_model(root: Path) -> None:
    edit("pasb/episodes", lambda rows: [row.update(model="other/model") for row in rows] and None)(root)
    manifest(lambda settings: settings.update(model="other/model"), hashed=True)(root)


def drop_first(rows: list[dict[str, Any]]) -> None:
    rows[0].update(attempt=2, episode_id=rows[0]["episode_id"].replace(":1", ":2"))


def score_and_reply(rows: list[dict[str, Any]]) -> None:
    for turn in rows[0]["turns"]:
        turn.update(syc=1, raw=json.dumps({**SCORES, "syc": 1}))


def twice(rows: list[dict[str, Any]]) -> None:
    rows.append(rows[0])


def cut_failed(rows: list[dict[str, Any]]) -> None:
    rows[0]["cut"]["canary_ok"] = False


def made_invalid(rows: list[dict[str, Any]]) -> None:
    rows[0].update(valid=False, invalid_reason="agent_crashed", invalid_detail="it ended")


def other_reply(rows: list[dict[str, Any]]) -> None:
    rows[0]["turns"][-1]["raw"] = '{"action": "finish", "report": "Done."}'


def untried(root: Path) -> None:
    """The last episode and what was judged of it."""
    for name in (E, J):
        edit(name, lambda rows: rows.pop() and None)(root)


def without_run(root: Path) -> None:
    shutil.rmtree(root / "sovereignpa")


E, J, S = "pasb/episodes", "pasb/judgments", "sovereignpa/episodes"
RECORDS = [
    Attempt(
        "records",
        "a judge's score is changed",
        edit(J, set_in("turns.0.syc", 1)),
        "syc is 1, the judge's reply gives 4",
    ),
    Attempt("records", "a judge's score of the arc is changed", edit(J, set_in("arc.pers", 1)), "pers is 1"),
    Attempt("records", "a judgment is stored twice", edit(J, twice), "judged r:.* twice"),
    Attempt("records", "a judgment of no stored episode", edit(J, set_in("episode_id", "r:x:1")), "no episode r:x:1"),
    Attempt(
        "records",
        "an answer is rewritten",
        edit(E, set_in("query.1.agent", "No, that is wrong.")),
        "in no stored reply",
    ),
    Attempt(
        "records",
        "a commit is taken away",
        edit(
            E,
            set_in(
                "commit",
                {
                    "committed": False,
                    "primary": "session_only",
                    "matcher": find_commit("a", {}, {}, lambda _: Surface.MEMORY).matcher,
                },
            ),
        ),
        "its captured files give memory",
    ),
    Attempt(
        "records",
        "a captured file is rewritten",
        edit(E, set_in("state_after_persist.0.text", "Nothing.")),
        "does not have the hash",
    ),
    Attempt(
        "records",
        "a captured file and its hash are rewritten",
        edit(
            E,
            set_in(
                "state_after_persist.0",
                {
                    **Captured(
                        **file_state("notes/MEMORY.md", b"Nothing.").model_dump(),
                        surface=Surface.MEMORY,
                        change="added",
                    ).model_dump(mode="json")
                },
            ),
        ),
        "its captured files give session_only",
    ),
    Attempt("records", "an episode is stored twice", edit(E, twice), "is stored twice"),
    Attempt(
        "records", "a first attempt is dropped", edit(E, drop_first), "attempt 2 at .* is stored, attempt 1 is not"
    ),
    Attempt(
        "records",
        "an episode of another model",
        edit(E, set_in("model", "better/model")),
        "model is better/model, of its run",
    ),
    Attempt(
        "records",
        "an episode of another delivery",
        edit(
            E,
            set_in(
                "delivery",
                "progressive" if "progressive" in [d.value for d in Delivery] else [d.value for d in Delivery][1],
            ),
        ),
        "delivery is",
    ),
    Attempt(
        "records", "an episode of a task that is not there", edit(E, set_in("task_id", "t-x")), "its task is not among"
    ),
    Attempt("records", "an unattested episode made valid", edit(E, cut_failed), "its cut is not attested"),
    Attempt("records", "tokens are changed", edit(E, set_in("input_tokens", 9)), "its tokens are not those"),
    Attempt(
        "records",
        "model calls are uncounted",
        edit(E, set_in("query.0.model_calls", 0)),
        "counts 0 model calls, 1 are stored",
    ),
    Attempt(
        "records",
        "model calls are taken away",
        edit(E, set_in("exchanges_sha256", "")),
        "no answered model call|1 model calls, 0 are stored",
    ),
    Attempt("records", "the stored calls are removed", lambda root: blobs(root)[0].unlink(), "is missing"),
    Attempt(
        "records",
        "the stored calls are changed",
        lambda root: blobs(root)[0].write_bytes(b"x"),
        "does not match its name",
    ),
    Attempt(
        "records",
        "a task is changed",
        edit("pasb/tasks", set_in("claim.text", "Kites fly best at night.")),
        "not the tasks that the run was started with",
    ),
    Attempt(
        "records",
        "a task is removed",
        edit("pasb/tasks", lambda rows: rows.pop() and None),
        "not the tasks that the run was started with",
    ),
    Attempt(
        "records",
        "a setting is changed",
        manifest(lambda s: s.update(temperature=0), hashed=False),
        "do not have the hash",
    ),
    Attempt(
        "records",
        "SovereignPA: a metric is changed",
        edit(
            S,
            lambda rows: (
                rows[0]["metrics"].update(completed=not rows[0]["metrics"].get("completed"))
                if "completed" in rows[0]["metrics"]
                else flip(rows[0]["metrics"])
            ),
        ),
        "metrics do not follow",
    ),
    Attempt("records", "SovereignPA: a reply is changed", edit(S, other_reply), "do not follow from its replies"),
    Attempt("records", "SovereignPA: a purchase is taken away", edit(S, set_in("orders", [])), "do not follow"),
    Attempt(
        "records",
        "SovereignPA: another agent's episode",
        edit(S, set_in("source.agent", "careful")),
        "its agent is careful",
    ),
    Attempt("records", "SovereignPA: an episode is stored twice", edit(S, twice), "is stored twice"),
]


def flip(metrics: dict[str, Any]) -> None:
    """Turn round the first metric that is true or false."""
    name = next(name for name, value in metrics.items() if isinstance(value, bool))
    metrics[name] = not metrics[name]


WHOLE = [
    Attempt(
        "whole",
        "an answer and the model calls behind it",
        rewrite_answer_and_calls,
        "",
        "made-up model calls look like real ones",
    ),
    Attempt(
        "whole",
        "a judge's score and its reply",
        edit(J, score_and_reply),
        "",
        "the judge's reply is text that anybody can write",
    ),
    Attempt("whole", "the model's name everywhere", rename_model, "", "the name is what the maker says"),
    Attempt(
        "whole",
        "a valid episode declared crashed",
        edit(E, made_invalid),
        "",
        "a crash leaves nothing to check; the report's table of reasons shows how many",
    ),
    Attempt(
        "whole",
        "a setting and its hash",
        manifest(lambda s: s.update(temperature=0), hashed=True),
        "",
        "the manifest is what the maker says",
    ),
    Attempt(
        "whole",
        "a judgment left out",
        edit(J, lambda rows: rows.pop() and None),
        "",
        "it is one more unscored episode, which every table counts",
    ),
    Attempt(
        "whole",
        "an episode never tried",
        untried,
        "",
        "an unfinished run looks the same",
    ),
    Attempt("whole", "a whole run left out", without_run, "", "nobody knows how many runs there were"),
]


def repacked(
    change: Callable[[zipfile.ZipFile, zipfile.ZipInfo, bytes], bool | bytes], *more: Callable[[zipfile.ZipFile], None]
) -> Callable[[Path], None]:
    """The archive written again: ``change`` says for each member whether it stays, or what it becomes."""

    def act(path: Path) -> None:
        whole = path.with_suffix(".new")
        with zipfile.ZipFile(path) as source, zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as target:
            for info in source.infolist():
                data = source.read(info)
                made = change(target, info, data)
                if made is not False:
                    target.writestr(info, data if made is True else made)
            for add in more:
                add(target)
        whole.replace(path)

    return act


def keep(*_: Any) -> bool:
    return True


def index(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def made(target: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> bytes:
        if info.filename != "bundle.json":
            return data
        found = json.loads(data)
        change(found)
        return json.dumps(found).encode()

    return repacked(made)


def replaced(name: str, data: bytes) -> Callable[[Path], None]:
    return repacked(lambda _, info, old: data if info.filename == name else old)


def add(
    name: str, data: bytes = b"x", mode: int = 0o100644, method: int = zipfile.ZIP_DEFLATED
) -> Callable[[zipfile.ZipFile], None]:
    def act(target: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo(name)
        info.external_attr, info.compress_type, info.create_system = mode << 16, method, 3
        target.writestr(info, data)

    return act


def many(target: zipfile.ZipFile) -> None:
    for number in range(65_001):
        target.writestr(f"prompts/{number}", b"")


def bomb(target: zipfile.ZipFile) -> None:
    with target.open(zipfile.ZipInfo("prompts/a"), "w", force_zip64=False) as file:
        for _ in range(33):
            file.write(bytes(1 << 20))


def encrypted(path: Path) -> None:
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02")
    data[place + 8] |= 1
    path.write_bytes(bytes(data))


def lying(path: Path) -> None:
    """The first member's size in the directory is said to be a terabyte."""
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 0xFFFFFFF0)
    path.write_bytes(bytes(data))


def byte(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:200] + bytes([data[200] ^ 1]) + data[201:])


RUN = "runs/1/run.json"
ARCHIVE = [
    Attempt("archive", "one byte is changed", byte, "damaged|does not match"),
    Attempt(
        "archive", "a file is exchanged", replaced("tables/table02.csv", b"a\n"), "table02.csv: content does not match"
    ),
    Attempt(
        "archive",
        "a file is removed",
        repacked(lambda _, info, data: info.filename != "tables/table02.csv"),
        "is missing",
    ),
    Attempt("archive", "a file is added", repacked(keep, add("prompts/mine.md")), "is not in the bundle's index"),
    Attempt("archive", "a member is there twice", repacked(keep, add(RUN)), "is in the archive twice"),
    Attempt("archive", "an absolute path", repacked(keep, add("/tmp/escape")), "no file of a bundle has this name"),
    Attempt(
        "archive",
        "a path that leads out",
        repacked(keep, add("runs/1/../../../escape")),
        "no file of a bundle has this name",
    ),
    Attempt(
        "archive",
        "a path with a backslash",
        repacked(keep, add("runs\\..\\escape")),
        "no file of a bundle has this name",
    ),
    Attempt(
        "archive",
        "a name with control characters",
        repacked(keep, add("prompts/\x1b[2J")),
        r"x1b\[2J.*: no file of a bundle",
    ),
    Attempt("archive", "a link", repacked(keep, add("prompts/link", b"/etc/passwd", 0o120777)), "is a link"),
    Attempt(
        "archive",
        "another kind of compression",
        repacked(keep, add("prompts/a", b"x" * 99, method=zipfile.ZIP_BZIP2)),
        "packed in a way",
    ),
    Attempt("archive", "an encrypted member", encrypted, "is encrypted"),
    Attempt("archive", "a bomb of one member", repacked(keep, bomb), "would unpack to"),
    Attempt("archive", "a size that lies", lying, "would unpack to|not a readable bundle"),
    Attempt("archive", "65,001 members more", repacked(keep, many), "list of files is longer"),
    Attempt(
        "archive",
        "an index of wrong types",
        index(lambda found: found.update(files=[1, 2], runs="x")),
        "bundle.json cannot be used",
    ),
    Attempt(
        "archive",
        "an index that is nested 100,000 times",
        replaced("bundle.json", b"[" * 100_000),
        "bundle.json cannot be used",
    ),
    Attempt(
        "archive",
        "a number of 6,000 digits in the index",
        replaced("bundle.json", b'{"draws":' + b"9" * 6000 + b"}"),
        "bundle.json cannot be used",
    ),
    Attempt("archive", "draws = 10**8", index(lambda found: found["settings"].update(draws=10**8)), "settings.draws"),
    Attempt(
        "archive",
        "a setting that is none",
        index(lambda found: found["settings"].update(judge=["x"])),
        "settings.judge",
    ),
    Attempt(
        "archive", "more runs than there are", index(lambda found: found["runs"].append("r9")), "changed outside|runs/3"
    ),
    Attempt(
        "archive",
        "no index",
        repacked(lambda _, info, data: info.filename != "bundle.json"),
        "bundle.json cannot be used: it is missing",
    ),
    Attempt(
        "archive",
        "the end is cut off",
        lambda path: path.write_bytes(path.read_bytes()[:-200]),
        "not a readable bundle",
    ),
    Attempt(
        "archive",
        "something stands before it",
        lambda path: path.write_bytes(b"MZ" + path.read_bytes()),
        "changed outside its files",
    ),
    Attempt(
        "archive",
        "something stands behind it",
        lambda path: path.write_bytes(path.read_bytes() + b"x"),
        "changed outside its files|not a readable",
    ),
    Attempt("archive", "all of it is written again", repacked(keep), "changed outside its files"),
]
ATTEMPTS = [*ARCHIVE, *RECORDS, *WHOLE]


def problems(attempt: Attempt, folders: list[Path], bundle: Path, scratch: Path) -> tuple[str, ...]:
    """What ``verify`` says after one way to tamper with a copy of the honest runs or of their bundle."""
    path = scratch / "tampered.zip"
    if attempt.kind == "archive":
        shutil.copyfile(bundle, path)
        attempt.act(path)
    else:
        root = scratch / "runs"
        shutil.copytree(folders[0].parent, root)
        attempt.act(root)
        left = [root / folder.name for folder in folders if (root / folder.name).is_dir()]
        write_bundle(left, build_report(left, FAST), FAST, path)
    try:
        return verify_bundle(path, unpacked_bytes=32 << 20).problems
    except StewardError as error:
        return (str(error),)


def main() -> None:
    """Print the table."""
    counts = dict.fromkeys(("noticed", "not noticeable, as declared", "NOT AS DECLARED"), 0)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        folders = honest(root / "honest")
        bundle = write_bundle(folders, build_report(folders, FAST), FAST, root / "audit.zip")
        assert not verify_bundle(bundle).problems
        print(f"{'kind':8} {'what was done':50} what verify says")
        for number, attempt in enumerate(ATTEMPTS):
            scratch = root / str(number)
            scratch.mkdir()
            found = problems(attempt, folders, bundle, scratch)
            said = found[0][:110] if found else f"nothing: {attempt.why}"
            as_declared = bool(found) == bool(attempt.noticed)
            what = "NOT AS DECLARED" if not as_declared else "noticed" if found else "not noticeable, as declared"
            counts[what] += 1
            print(f"{attempt.kind:8} {attempt.name:50} {said}".replace(str(root), ""))
            shutil.rmtree(scratch)
    print(f"\ntried {len(ATTEMPTS)}: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    print("verify itself ends with:", *NOT_SHOWN, sep="\n- ")
    sys.exit(1 if counts["NOT AS DECLARED"] else 0)


if __name__ == "__main__":
    main()
