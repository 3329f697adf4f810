"""A spoken file: what is said, as a WAV that anything can play."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which

from iris_harness.errors import DeliveryError, StorageError
from iris_harness.storage.files import make_private_folder, new_private_file, replace_durably
from iris_harness.surfaces.briefing.message import Message, Receipt

PROGRAM = "espeak-ng"
_TIMEOUT_SECONDS = 60


class SpeechChannel:
    """Speaks into a file, which holds the newest only."""

    def __init__(self, name: str, path: Path, voice: str) -> None:
        """Take the file and the voice."""
        self.name = name
        self._path = path
        self._voice = voice

    def deliver(self, message: Message) -> Receipt:
        """Speak it.

        Raises:
            DeliveryError: nothing here can speak, or the file cannot be written; the old one stays.
        """
        program = which(PROGRAM)
        if program is None:
            raise DeliveryError(f"{PROGRAM} is not installed", hint="install it to hear briefings")
        try:
            make_private_folder(self._path.parent)
            scratch = new_private_file(self._path.parent, f".{self._path.name}-")
            try:
                _speak([program, "-v", self._voice, "-w", str(scratch), "--stdin"], message.speech)
                replace_durably(scratch, self._path)
            finally:
                scratch.unlink(missing_ok=True)
        except (OSError, StorageError) as error:
            said = error.strerror if isinstance(error, OSError) else error.message
            raise DeliveryError(
                f"{self._path} cannot be written: {said}", may_retry=True
            ) from error
        return Receipt(f"spoken into {self._path}")


def _speak(command: list[str], text: str) -> None:
    """Run the voice; the text goes by its input, since anyone can see a program's arguments."""
    try:
        done = subprocess.run(
            command,
            input=text.encode(),
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DeliveryError(f"{PROGRAM} did not come to an end") from error
    wrong = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode != 0:
        raise DeliveryError(f"{PROGRAM} failed: {wrong[-1] if wrong else done.returncode}")
