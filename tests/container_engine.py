"""A container engine and a registry of the tests' own, on this machine, whatever else it has."""

from __future__ import annotations

import io
import os
import shutil
import socket
import subprocess
import tarfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_ENGINE = """
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
static_dir = "{folder}/static"
tmp_dir = "{folder}/tmp"
volume_path = "{folder}/volumes"
"""
_STORAGE = """
[storage]
driver = "vfs"
graphroot = "{folder}/graph"
runroot = "{folder}/run"
"""
_REGISTRIES = """
[[registry]]
location = "127.0.0.1"
insecure = true
"""
_REGISTRY = """
version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: "{folder}/images"}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""
_APPLETS = ("sh", "ls", "cat", "env", "touch", "wget", "id", "sleep", "timeout", "echo", "nc", "ps")


@contextmanager
def own_engine(folder: Path) -> Iterator[None]:
    """Let Podman keep everything in a folder, for as long as this is open."""
    named = {"CONTAINERS_CONF": _ENGINE, "CONTAINERS_STORAGE_CONF": _STORAGE}
    with pytest.MonkeyPatch.context() as patch:
        for variable, text in named.items():
            file = folder / variable.lower()
            file.write_text(text.format(folder=folder), encoding="utf-8")
            patch.setenv(variable, str(file))
        registries = folder / "registries.conf"
        registries.write_text(_REGISTRIES, encoding="utf-8")
        patch.setenv("CONTAINERS_REGISTRIES_CONF", str(registries))
        yield


def podman(*words: str, given: bytes = b"") -> str:
    program = shutil.which("podman")
    assert program is not None
    done = subprocess.run([program, *words], input=given, capture_output=True, check=True)
    return done.stdout.decode()


@dataclass(frozen=True)
class Registry:
    """A registry that serves what is pushed to it."""

    port: int

    def reference(self, name: str) -> str:
        return f"127.0.0.1:{self.port}/{name}"

    def push(self, name: str, programs: Mapping[str, str]) -> str:
        """Push an image made from nothing: a shell, a few tools, and these scripts in /opt/bin."""
        reference = self.reference(name)
        change = "ENV PATH=/opt/bin:/bin"
        podman("import", "--change", change, "-", reference, given=_archive(programs))
        podman("push", "--tls-verify=false", reference)
        podman("rmi", "--force", reference)
        return reference


def find_missing() -> str | None:
    """Return what is missing here for an engine and a registry; None where all is there."""
    needed = ("podman", "runc", "docker-registry", "busybox")
    missing = [name for name in needed if shutil.which(name) is None]
    return f"not installed: {', '.join(missing)}" if missing else None


@contextmanager
def own_registry(folder: Path) -> Iterator[Registry]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    settings = folder / "registry.yml"
    settings.write_text(_REGISTRY.format(folder=folder, port=port), encoding="utf-8")
    program = shutil.which("docker-registry")
    assert program is not None
    process = subprocess.Popen(
        [program, "serve", str(settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait(port)
        yield Registry(port)
    finally:
        process.terminate()
        process.wait()


def _wait(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the registry does not answer")


def _archive(programs: Mapping[str, str]) -> bytes:
    kept = io.BytesIO()
    busybox = Path(os.path.realpath(str(shutil.which("busybox")))).read_bytes()
    with tarfile.open(fileobj=kept, mode="w") as archive:
        for name in ("bin", "opt", "opt/bin", "etc", "tmp", "var", "var/tmp", "home", "workspace"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(folder)
        _add(archive, "bin/busybox", busybox)
        for name in _APPLETS:
            link = tarfile.TarInfo(f"bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            archive.addfile(link)
        for name, script in programs.items():
            _add(archive, f"opt/bin/{name}", script.encode())
    return kept.getvalue()


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    file = tarfile.TarInfo(name)
    file.size, file.mode = len(data), 0o755
    archive.addfile(file, io.BytesIO(data))
