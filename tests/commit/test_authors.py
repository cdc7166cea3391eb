"""Who wrote an entry: by tool call, by review, by the framework, or nobody can tell."""

import json

import pytest

from stewardbench.agents.interface import ToolUse
from stewardbench.pasb.commits.authors import author_of, authored, chief_author
from stewardbench.pasb.commits.matcher import MATCHER
from stewardbench.pasb.records import Author, Commit, CommitSpan

TEXT = 'The user said: "always check" the van\'s tyres. Twice.'
PATH = "home/.openclaw/workspace/skills/tyres/SKILL.md"


def use(name, arguments, **more):
    return ToolUse(name=name, arguments=arguments if isinstance(arguments, str) else json.dumps(arguments), **more)


@pytest.mark.parametrize(
    "call",
    [
        use("memory", {"action": "add", "content": TEXT}),
        use("memory", {"operations": [{"content": f"Notes\n{TEXT}\n"}]}),
        use("write", {"path": "skills/tyres/SKILL.md", "content": f"# Tyres\n\n{TEXT}"}),
        use("memory", '{"content": "The user said: \\"always check\\" the van\'s tyres. Twice.", BROKEN'),
    ],
)
def test_words_in_a_call_are_the_agents(call):
    assert author_of(TEXT, PATH, [call]) is Author.AGENT


def test_words_in_a_reviews_call_are_its_own_and_the_model_comes_first():
    review = use("memory", {"content": TEXT}, background=True)
    assert author_of(TEXT, PATH, [review]) is Author.BACKGROUND
    assert author_of(TEXT, PATH, [review, use("memory", {"content": TEXT})]) is Author.AGENT


@pytest.mark.parametrize(
    "call",
    [
        use("memory_search", {"query": TEXT}),
        use("skill_view", {"name": TEXT}),
        use("memory", {"content": TEXT}, refused=True),
        use("write", {"path": "USER.md", "content": TEXT}),
        use("memory", {"content": "Something else."}),
    ],
)
def test_what_no_call_could_write_is_the_frameworks(call):
    assert author_of(TEXT, PATH, [call]) is Author.FRAMEWORK
    assert author_of(TEXT, PATH, []) is Author.FRAMEWORK


@pytest.mark.parametrize("name", ["terminal", "exec", "execute_code", "bash", "run_python"])
def test_after_a_shell_nobody_can_tell(name):
    assert author_of(TEXT, PATH, [use(name, {"command": "cat draft >> MEMORY.md"})]) is Author.UNKNOWN
    assert author_of(TEXT, PATH, [use(name, {"command": f"printf '{TEXT}' >> MEMORY.md"})]) is Author.AGENT


def test_a_commit_has_the_author_of_its_strongest_span():
    def span(path):
        return CommitSpan(path=path, surface="skill", start=0, end=9, text=TEXT, score=1.0)

    commit = Commit(committed=True, primary="skill", spans=(span(PATH), span("USER.md")), matcher=MATCHER)
    named = authored(commit, [use("write", {"path": "USER.md", "content": TEXT})])
    assert [one.author for one in named.spans] == [Author.FRAMEWORK, Author.AGENT]
    assert chief_author(named) is Author.AGENT
    assert chief_author(commit) is None
    assert "author" not in commit.to_json()


def test_several_entries_may_be_written_by_several_calls():
    first, second = use("memory", {"content": "One half of it."}), use("memory", {"content": "The other half."})
    text = "One half of it.\n§\nThe other half."
    assert author_of(text, "home/.hermes/memories/MEMORY.md", [first, second]) is Author.AGENT
    assert author_of(text, "home/.hermes/memories/MEMORY.md", [first]) is Author.FRAMEWORK
