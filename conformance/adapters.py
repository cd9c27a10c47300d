"""The adapters in `ports/`: their manifests, where they are built, and how one is built and started.

Nothing is written into the folder of an adapter: it may be part of an installed package. Each has a build folder of its
own in a cache, `$TOOLNEXUS_CACHE` or `~/.cache/toolnexus-conformance`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import httpx

from conformance.environ import scrubbed
from conformance.faults import KitFault, PortFault, UsageFault
from conformance.options import Accept, Options

#: The adapters that came with the kit.
HOME: Final = Path(__file__).resolve().parent / "ports"

KINDS: Final = ("contract", "peer", "template")

#: How long a gateway may take until it says that it is ready, in seconds.
_READY_S: Final = 120.0

_MARK: Final = "installed.json"
_KEYS: Final = ("name", "title", "language", "kind", "accept", "versions", "requires", "install", "command", "gateway")


@dataclass(frozen=True)
class Service:
    """How a gateway is started and asked; `ready` answers 200 when it can be asked at `url`.

    `start` is a command, `env` what is set for it; `headers` go with each call, `models` are its names for them.
    """

    start: tuple[str, ...]
    ready: str
    url: str
    stub_port: int
    env: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    models: tuple[str, ...] = ()


@dataclass(frozen=True)
class Adapter:
    """One folder of `ports/`, as its `port.toml` says."""

    folder: Path
    name: str
    title: str
    language: str
    kind: str
    accept: str
    versions: Mapping[str, str]
    requires: tuple[str, ...]
    install: tuple[tuple[str, ...], ...]
    command: tuple[str, ...] = ()
    gateway: Service | None = None

    @property
    def build(self) -> Path:
        """Where it is built."""
        return cache() / "ports" / self.name

    @property
    def known(self) -> Path | None:
        """Its ledger of known failures, if it has one."""
        path = self.folder / "known.toml"
        return path if path.is_file() else None

    @property
    def installed(self) -> bool:
        """Is it built, and nothing of its folder changed since? One that needs no building always is."""
        if not self.install:
            return True
        try:
            said = json.loads((self.build / _MARK).read_text("utf-8"))
        except (OSError, ValueError):
            return False
        return bool(said.get("digest") == self.digest() and said.get("python") == sys.executable)

    def digest(self) -> str:
        """What its build rests on: every file of its folder but words, faults and ledgers."""
        found = sha256()
        for path in sorted(self.folder.rglob("*")):
            if (
                path.is_file()
                and path.suffix != ".md"
                and path.name not in ("known.toml", "faults.toml")
                and "__pycache__" not in path.parts
            ):
                found.update(f"{path.relative_to(self.folder).as_posix()}\0".encode())
                found.update(path.read_bytes())
        return found.hexdigest()

    def filled(self, words: Sequence[str]) -> list[str]:
        """A command with this machine's places in it."""
        places = {"{port}": str(self.folder), "{build}": str(self.build), "{python}": sys.executable}
        return [_filled(word, places) for word in words]

    def options(self) -> Options:
        """How a run against it is asked for."""
        accept: Accept = "equivalent" if self.accept == "equivalent" else "exact"
        if self.gateway is None:
            return Options(f"cmd:{shlex.join(self.filled(self.command))}", accept=accept, known=self.known)
        asked = Options(self.gateway.url, accept=accept, known=self.known, stub_port=self.gateway.stub_port)
        headers = tuple(": ".join(row) for row in self.gateway.headers.items())
        return replace(asked, headers=headers, models=self.gateway.models)

    def arguments(self) -> list[str]:
        """The command line of a run against it; other than `Options.arguments` it hides no header's value."""
        asked = self.options()
        words = replace(asked, headers=(), models=()).arguments()
        words += [word for header in asked.headers for word in ("--toolnexus-header", header)]
        return words + [word for model in asked.models for word in ("--toolnexus-model", model)]


def cache() -> Path:
    """The folder of everything that is built."""
    named = os.environ.get("TOOLNEXUS_CACHE")
    return Path(named).expanduser().absolute() if named else Path.home() / ".cache" / "toolnexus-conformance"


def _filled(word: str, places: Mapping[str, str]) -> str:
    for place, value in places.items():
        word = word.replace(place, value)
    return word


# -- reading ----------------------------------------------------------------------------------------------------------


def every() -> dict[str, Adapter]:
    """The adapters by name; raises `KitFault` for a manifest that is none."""
    return {name: _read(path) for name, path in _manifests().items()}


def named(names: Sequence[str]) -> list[Adapter]:
    """The adapters with these names; raises `UsageFault` for a name nobody has."""
    there = _manifests()
    for name in names:
        if name not in there:
            raise UsageFault(f"no port {name}; there are {', '.join(there) or 'none'}")
    return [_read(there[name]) for name in names]


def _manifests() -> dict[str, Path]:
    return {path.parent.name: path for path in sorted(HOME.glob("*/port.toml"))}


def _read(path: Path) -> Adapter:
    try:
        row = tomllib.loads(path.read_text("utf-8"))
        return _adapter(path.parent, row)
    except (tomllib.TOMLDecodeError, TypeError, KeyError, ValueError) as wrong:
        raise KitFault(f"{path}: {wrong}") from None


def _adapter(folder: Path, row: dict[str, Any]) -> Adapter:
    if strange := row.keys() - set(_KEYS):
        raise ValueError(f"unknown: {', '.join(sorted(strange))}; known are {', '.join(_KEYS)}")
    if row["name"] != folder.name:
        raise ValueError(f"name must be {folder.name}, as the folder's")
    if row["kind"] not in KINDS or row["accept"] not in ("exact", "equivalent"):
        raise ValueError(f"kind is one of {', '.join(KINDS)}, accept exact or equivalent")
    if ("command" in row) == ("gateway" in row):
        raise ValueError("needs a command or a [gateway], and not both")
    service = row.get("gateway")
    return Adapter(
        folder=folder,
        requires=tuple(row["requires"]),
        install=tuple(tuple(words) for words in row["install"]),
        command=tuple(row.get("command", ())),
        gateway=None if service is None else Service(**{**service, "start": tuple(service["start"])}),
        **{key: row[key] for key in ("name", "title", "language", "kind", "accept", "versions")},
    )


# -- building and starting --------------------------------------------------------------------------------------------


def install(adapter: Adapter) -> None:
    """Build an adapter from nothing; raises `PortFault` with the command that failed and its last words."""
    for tool in adapter.requires:
        if shutil.which(tool) is None:
            raise PortFault(f"{adapter.name} needs {tool}, which is not on the path")
    adapter.build.parent.mkdir(parents=True, exist_ok=True)
    with _alone(adapter):
        _build(adapter)


@contextlib.contextmanager
def _alone(adapter: Adapter) -> Iterator[None]:
    """Nobody else builds it meanwhile: half of each would be there, and count as built."""
    with adapter.build.with_suffix(".lock").open("w") as held:
        if os.name == "posix":
            import fcntl

            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise PortFault(f"{adapter.name} is being built by somebody else") from None
        yield


def _build(adapter: Adapter) -> None:
    shutil.rmtree(adapter.build, ignore_errors=True)
    adapter.build.mkdir()
    for words in adapter.install:
        command = adapter.filled(words)
        done = subprocess.run(
            command, cwd=adapter.build, env=_plain(), capture_output=True, check=False, text=True, errors="replace"
        )
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or "(nothing)").splitlines()[-1]
            raise PortFault(f"{adapter.name}: {shlex.join(command)} ended with {done.returncode}: {said}")
    mark = {"digest": adapter.digest(), "python": sys.executable, "versions": dict(adapter.versions)}
    (adapter.build / _MARK).write_text(json.dumps(mark) + "\n", "utf-8")


def refuse_unbuilt(adapter: Adapter) -> None:
    """Raises `PortFault` for an adapter that is not built, or not as its folder is now."""
    if not adapter.installed:
        raise PortFault(
            f"{adapter.name} is not built, or has changed since: toolnexus-conformance ports install {adapter.name}"
        )


def _plain() -> dict[str, str]:
    """The environment without what would lead one Python to another's packages."""
    return {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    }


@contextlib.contextmanager
def started(adapter: Adapter) -> Iterator[None]:
    """The adapter's gateway up and ready, and its whole process group gone afterwards; nothing for a port."""
    if adapter.gateway is None:
        yield
        return
    if _answers(adapter.gateway):
        raise PortFault(f"something answers at {adapter.gateway.ready} already: end it, or it would be judged instead")
    log = adapter.build / "gateway.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            adapter.filled(adapter.gateway.start),
            cwd=adapter.build,
            env={**scrubbed(_plain()), **adapter.gateway.env},
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=os.name == "posix",
        )
    try:
        _wait(adapter, adapter.gateway, process, log)
        yield
    finally:
        if os.name == "posix" and process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait(timeout=10)


def _answers(service: Service) -> bool:
    with httpx.Client(trust_env=False, timeout=2.0) as http, contextlib.suppress(httpx.HTTPError):
        http.get(service.ready)
        return True
    return False


def _wait(adapter: Adapter, service: Service, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _READY_S
    with httpx.Client(trust_env=False, timeout=2.0) as http:
        while time.monotonic() < until:
            if process.poll() is not None:
                raise PortFault(f"{adapter.name} ended with {process.returncode} before it was ready; see {log}")
            with contextlib.suppress(httpx.HTTPError):
                if http.get(service.ready).status_code == 200:
                    return
            time.sleep(0.2)
    raise PortFault(f"{adapter.name} was not ready at {service.ready} within {_READY_S:.0f} s; see {log}")
