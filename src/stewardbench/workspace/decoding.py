"""Bytes of a captured file as text: UTF-8, or the other Unicode encodings where mark or zeros give them away."""

from __future__ import annotations

import codecs

MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
ZEROS = 0.4  # share of zero bytes in one half of the places, where the text is Latin in two bytes a letter
PLAIN = 0.6  # share of ASCII letters and spaces that text of two bytes a letter does not reach


def text_of(data: bytes) -> str:
    """The text of some bytes; what no encoding reads is decoded as UTF-8 with undecodable bytes replaced.

    A mark alone is not believed: the bytes after it have to be such text.
    """
    for mark, name in MARKS:
        if data.startswith(mark) and not _is_plain(data):
            try:
                return data.decode(name)
            except UnicodeDecodeError:
                break
    if (guessed := _by_zeros(data)) is not None:
        try:
            return data.decode(guessed)
        except UnicodeDecodeError:
            pass
    return data.decode("utf-8", "replace")


def _is_plain(data: bytes) -> bool:
    """Whether the bytes are mostly ASCII one by one: no text in two or four bytes a letter."""
    plain = sum(1 for byte in data[:4096] if byte in b" \t\r\n" or 0x41 <= byte <= 0x7A)
    return b"\0" not in data[:4096] and plain > PLAIN * len(data[:4096])


def _by_zeros(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark, told by where the zero bytes of Latin text stand."""
    head = data[: 4096 - len(data[:4096]) % 4]
    if len(head) < 8 or b"\0" not in head:
        return None
    zeros = [head[place::4].count(0) / len(head[place::4]) for place in range(4)]
    if len(data) % 4 == 0 and zeros[0] < ZEROS and min(zeros[1:]) > 1 - ZEROS:
        return "utf-32-le"
    if len(data) % 4 == 0 and zeros[3] < ZEROS and min(zeros[:3]) > 1 - ZEROS:
        return "utf-32-be"
    if len(data) % 2 == 0 and min(zeros[1], zeros[3]) > ZEROS and max(zeros[0], zeros[2]) < ZEROS / 4:
        return "utf-16-le"
    if len(data) % 2 == 0 and min(zeros[0], zeros[2]) > ZEROS and max(zeros[1], zeros[3]) < ZEROS / 4:
        return "utf-16-be"
    return None
