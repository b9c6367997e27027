"""A Chromium without a window, driven through two pipes: it needs no package, no port
and no network.
"""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

NAMES = "chromium", "chromium-browser", "google-chrome"
COMMAND = next(filter(None, map(shutil.which, NAMES)), None)
needs_browser = pytest.mark.skipif(
    COMMAND is None, reason="no Chromium to show pages in"
)
FLAGS = [
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
]
KEYS = {"ArrowRight": 39}  # with their codes


class Page:
    """One page, the requests that left it, and what its console said."""

    def __init__(self, writer: Any, reader: Any) -> None:
        self._writer, self._reader, self._ids = writer, reader, count(1)
        self._session: str | None = None
        self._rest = b""
        self.requests: list[str] = []
        self.messages: list[Any] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send(
            "Target.attachToTarget", targetId=target, flatten=True
        )["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        session = {} if self._session is None else {"sessionId": self._session}
        message = {"id": number, "method": method, "params": params, **session}
        self._writer.write(json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != number:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = self._reader.read(1 << 16)
            assert part, "the browser ended"
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(text)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        if message.get("method") in (
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
        ):
            self.messages.append(message["params"])
        return message

    def open(
        self, path: Path, width: int = 1280, scheme: str = "light", height: int = 900
    ) -> None:
        self.resize(width, height)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.send("Emulation.setEmulatedMedia", features=[feature])
        self.send("Page.navigate", url=path.as_uri())
        while self._read().get("method") != "Page.loadEventFired":
            pass

    def resize(self, width: int, height: int) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def run(self, script: str) -> Any:
        """Return the value of an expression, or what it promises."""
        options = {"returnByValue": True, "awaitPromise": True}
        answer = self.send("Runtime.evaluate", expression=script, **options)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            names = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
            self.send("Input.dispatchKeyEvent", type=kind, **names)


@contextlib.contextmanager
def browser() -> Iterator[Page]:
    assert COMMAND is not None
    # root cannot have a sandbox
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else FLAGS
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # The browser reads from 3 and writes to 4.
        line = ["sh", "-c", 'exec "$0" "$@" 3<&0 4>&1 >/dev/null 2>&1', COMMAND]
        line += [*flags, f"--user-data-dir={profile}"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(line, bufsize=0, **pipes) as running:
            try:
                yield Page(running.stdin, running.stdout)
            finally:
                running.terminate()
