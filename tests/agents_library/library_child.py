"""A stand-in for a library: keeps what it is told to keep, in memory, and leaves a history file behind."""

import os
from pathlib import Path

from serve import serve


class Conversation:
    def __init__(self, opening):
        self.opening = opening
        self.kept = list(opening["entries"])
        self.before = len(list(Path(opening["folder"]).iterdir()))
        Path(opening["folder"], "history.txt").write_text("what was said\n")

    def turn(self, text):
        answer = {"reply": f"You said: {text}", "tool_uses": [], "error": None, "failed_review": None}
        word, _, rest = text.partition(" ")
        if word == "keep":
            self.kept.append({"kind": "memory", "key": str(len(self.kept)), "text": rest})
            answer["tool_uses"] = [{"name": "keep", "arguments": rest, "result": "Saved."}]
        if word == "files":
            answer["reply"] = str(self.before)
        if word == "secret":
            answer["error"] = f"refused: {self.opening['api_key']}"
        if word == "unwritten":
            answer["failed_review"] = "the store is read-only"
        if word == "print":
            print("a library that prints")
        if word == "die":
            os._exit(3)
        return answer

    def entries(self):
        return self.kept


if __name__ == "__main__":
    serve(Conversation)
