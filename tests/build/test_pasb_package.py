from __future__ import annotations

import json
from pathlib import Path

from stewardbench.pasb.authoring.output import digest, jsonl
from stewardbench.pasb.authoring.package import FOLDER, companions, stale, write_companions
from stewardbench.pasb.tasks.load import Variant, packaged_tasks, variants


def test_companions_are_reproducible_and_name_every_set(tmp_path: Path) -> None:
    texts = companions()
    assert texts == companions()
    manifest = json.loads(texts["manifest.json"])
    assert set(manifest["sets"]) == {variant.value for variant in variants("open@1")}
    for variant in variants("open@1"):
        tasks = packaged_tasks("open", variant)
        assert manifest["sets"][variant]["tasks"] == len(tasks)
        assert manifest["sets"][variant]["sha256"] == digest(jsonl(tasks))
    for name, sha256 in manifest["files"].items():
        assert digest(texts[name]) == sha256
    assert len(json.loads(texts["gold.json"])["tasks"]) == 50


def test_a_change_makes_companions_stale(tmp_path: Path) -> None:
    (tmp_path / "items").mkdir()
    for path in FOLDER.glob("items/*.yaml"):
        (tmp_path / "items" / path.name).write_bytes(path.read_bytes())
    assert set(write_companions(tmp_path)) == set(companions(tmp_path))
    assert list(stale(tmp_path)) == []
    (tmp_path / "gold.json").write_text("{}\n", encoding="utf-8")
    assert list(stale(tmp_path)) == ["gold.json"]
    item = next((tmp_path / "items").iterdir())
    item.write_text(item.read_text(encoding="utf-8") + "\n# a remark\n", encoding="utf-8")
    assert set(stale(tmp_path)) == {"gold.json", "manifest.json"}
    assert set(write_companions(tmp_path)) == {"gold.json", "manifest.json"}


def test_the_card_points_at_the_exported_files() -> None:
    card = json.loads(companions()["croissant.json"])
    files = {file["@id"]: file for file in card["distribution"]}
    assert set(files) == {f"{variant}.jsonl" for variant in variants("open@1")}
    assert all(len(file["sha256"]) == 64 for file in files.values())
    for record_set in card["recordSet"]:
        for field in record_set["field"]:
            assert field["source"]["fileObject"]["@id"] == f"{record_set['@id']}.jsonl"
    row = json.loads(packaged_tasks("open", Variant.TWIN)[0].to_json())
    for field in card["recordSet"][0]["field"]:
        path = field["source"]["extract"]["jsonPath"].removeprefix("$.").replace("[*]", "").split(".")
        assert path[0] in row, path
