"""What a run folder holds, for assertions."""

import json


def rows(folder, name):
    path = folder / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def attempts(folder):
    """(task, attempt, valid) of every stored episode, sorted."""
    return sorted((row["task_id"], row["attempt"], row["valid"]) for row in rows(folder, "episodes"))


def assert_each_task_once(folder, count):
    """As many tasks as asked for, each with one valid episode and one judgment of it."""
    episodes, judgments = rows(folder, "episodes"), rows(folder, "judgments")
    assert len({row["task_id"] for row in episodes}) == len(episodes) == count
    assert all(row["valid"] for row in episodes)
    assert sorted(row["episode_id"] for row in judgments) == sorted(row["episode_id"] for row in episodes)
