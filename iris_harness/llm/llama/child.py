"""The program of the child: `python -P -m iris_harness.llm.llama.child`, spoken to in frames.

One thread uses the model, another listens, so that an answer can be stopped while it is written. It
ends when its parent does.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from typing import BinaryIO

from iris_harness.llm.llama.engines import Engine, RefusedError, load_engine
from iris_harness.llm.llama.frames import Frame, read_frame, write_frame


def main() -> None:
    """Serve until the parent is gone."""
    # What libraries print goes to standard error; the answers' pipe is ours alone.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Load the model that the first message names, then answer one message after another."""
    first = read_frame(questions)
    if first is None:
        return
    asked: queue.SimpleQueue[Frame] = queue.SimpleQueue()
    stops: set[int] = set()
    threading.Thread(target=_listen, args=(questions, asked, stops), daemon=True).start()
    try:
        engine = load_engine(**first["load"])
    except Exception as error:  # noqa: BLE001 - a library's border: it becomes a message
        write_frame(answers, {"failed": str(error) or type(error).__name__})
        return
    write_frame(answers, {"loaded": first["load"]["name"]})
    while True:
        _answer(engine, asked.get(), stops, answers)


def _listen(questions: BinaryIO, asked: queue.SimpleQueue[Frame], stops: set[int]) -> None:
    try:
        while (frame := read_frame(questions)) is not None:
            if "stop" in frame:
                stops.add(frame["stop"])
            else:
                asked.put(frame)
    finally:
        os._exit(0)  # the parent is gone: nobody reads what would still be written


def _answer(engine: Engine, frame: Frame, stops: set[int], answers: BinaryIO) -> None:
    number: int = frame["ask"]
    end: Frame = {"end": "done"}
    try:
        engine.run(
            frame["body"],
            lambda chunk: write_frame(answers, {"id": number, "chunk": chunk}),
            lambda: number in stops,
        )
    except RefusedError as error:
        end = {"end": "refused", "message": str(error)}
    except Exception as error:  # noqa: BLE001 - a library's border: it becomes a message
        end = {"end": "refused", "message": f"{type(error).__name__}: {error}"}
    if number in stops:
        end = {"end": "stopped"}
        stops.discard(number)
    write_frame(answers, {"id": number, **end})


if __name__ == "__main__":
    main()
