"""What a worker hears: frames that are none, requests that say anything, worlds that are not there."""

from __future__ import annotations

import json
import random
import socket
import struct
from typing import Any

import pytest

import sfnec
from sfnec import _worker

REQUEST: dict[str, Any] = {
    "id": "CartPole-v1",
    "features": None,
    "unit": False,
    "wrappers": [],
    "weights": [],
    "options": {},
}
_DESCRIBE, _SHAPE, _REFUSED, _STUDY = 1, 2, 3, 4
ODD: list[Any] = [
    None,
    True,
    -1,
    1e300,
    "",
    "x",
    "no:thing",
    "a.b:c",
    [],
    [[]],
    [[1, 2]],
    {},
    {"a": []},
    "\0",
    "CartPole-v1",
]


def frame(tag: int, content: bytes, size: int | None = None) -> bytes:
    return struct.pack("=II", tag, len(content) if size is None else size) + content


def converse(said: bytes) -> list[tuple[int, bytes]]:
    """What a worker answers to bytes, after which nothing comes; it must return."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(said)
        ours.shutdown(socket.SHUT_WR)
        # a study that is none ends the worker with the library's sentence, and nothing else
        try:
            _worker._serve(theirs)
        except sfnec.Error as error:
            assert str(error)
        theirs.shutdown(socket.SHUT_WR)
        heard = b"".join(iter(lambda: ours.recv(1 << 16), b""))
    frames = []
    while heard:
        tag, size = struct.unpack("=II", heard[:8])
        frames.append((tag, heard[8 : 8 + size]))
        assert len(heard) >= 8 + size
        heard = heard[8 + size :]
    return frames


def changed(value: Any, draw: random.Random) -> Any:
    """A request with something else in one of its places, or without it."""
    request = json.loads(json.dumps(value))
    for _ in range(draw.randint(1, 2)):
        key = draw.choice(list(request) or ["id"])
        if draw.random() < 0.2:
            request.pop(key, None)
        else:
            request[key] = draw.choice(ODD)
    return request


def test_answers() -> None:
    [(tag, content)] = converse(frame(_DESCRIBE, json.dumps(REQUEST).encode()))
    assert tag == _SHAPE and struct.unpack("=8i", content[:32]) == (4, 2, 1, 0, 0, 0, 0, 0)
    assert content[32:].decode() == sfnec.__version__


def test_silence() -> None:
    """No frame, half of one, one that claims more than there is or may be, and one of another kind."""
    for said in (b"", b"\1", struct.pack("=II", 1, 5), frame(_DESCRIBE, b"{}", 3), frame(_DESCRIBE, b"{}", 2**32 - 1)):
        assert converse(said) == []
    for tag in (0, _SHAPE, _REFUSED, _STUDY, 5, 6, 7, 2**32 - 1):
        assert converse(frame(tag, b"{}")) == []


@pytest.mark.parametrize("seed", range(4))
def test_requests(seed: int) -> None:
    """Requests that were changed are refused by one sentence, or describe a world."""
    draw = random.Random(seed)
    for _ in range(40):
        said = json.dumps(changed(REQUEST, draw)).encode()
        if draw.random() < 0.2:
            at = draw.randrange(len(said))
            said = said[:at] + bytes([draw.randrange(256)]) + said[at + draw.randrange(3) :]
        [(tag, content)] = converse(frame(_DESCRIBE, said))
        assert tag in (_SHAPE, _REFUSED)
        if tag == _REFUSED:
            assert content and b"\n" not in content


@pytest.mark.parametrize("seed", range(4))
def test_studies(seed: int) -> None:
    """After a world was described, bytes that are no study: the worker ends, and says nothing more."""
    draw = random.Random(seed)
    first = frame(_DESCRIBE, json.dumps(REQUEST).encode())
    for _ in range(20):
        study = bytes(draw.randrange(256) for _ in range(draw.randrange(60)))
        tag = _STUDY if draw.random() < 0.8 else draw.randrange(12)
        [(answer, _)] = converse(first + frame(tag, study))
        assert answer == _SHAPE
