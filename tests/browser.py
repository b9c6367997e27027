"""A Chromium without a window that is controlled through two pipes, without a package,
a port or a network.
"""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from itertools import count
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
SAID = "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"


class Page:
    """A page, its requests to the network, and the messages of its console."""

    def __init__(self, running):
        self._running, self._ids = running, count(1)
        self._session: dict[str, str] = {}
        self.requests: list[str] = []
        self.messages: list[Any] = []
        target = self.send("Target.createTarget", url="about:blank")
        self._session = self.send("Target.attachToTarget", flatten=True, **target)
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method, **params):
        number = next(self._ids)
        message = {"id": number, "method": method, "params": params, **self._session}
        self._running.stdin.write(json.dumps(message).encode() + b"\0")
        self._running.stdin.flush()
        while (answer := self._read()).get("id") != number:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def _read(self):
        text = bytearray()
        while (byte := self._running.stdout.read(1)) != b"\0":
            assert byte, "the browser ended"
            text += byte
        message = json.loads(text)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        if message.get("method") in SAID:
            self.messages.append(message["params"])
        return message

    def open(self, path, width=1280, scheme="light", height=900):
        self.resize(width, height)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.send("Emulation.setEmulatedMedia", features=[feature])
        self.send("Page.navigate", url=path.as_uri())
        while self._read().get("method") != "Page.loadEventFired":
            pass

    def resize(self, width, height):
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.send("Emulation.setDeviceMetricsOverride", mobile=False, **size)

    def run(self, script):
        """Return the value of an expression. A promise is awaited."""
        options = {"returnByValue": True, "awaitPromise": True}
        answer = self.send("Runtime.evaluate", expression=script, **options)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press_right(self):
        key = {"key": "ArrowRight", "code": "ArrowRight", "windowsVirtualKeyCode": 39}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, **key)


@contextlib.contextmanager
def browser():
    assert COMMAND is not None
    # root cannot have a sandbox
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else FLAGS
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # The browser reads from 3 and writes to 4.
        line = ["sh", "-c", 'exec "$0" "$@" 3<&0 4>&1 >/dev/null 2>&1', COMMAND]
        line += [*flags, f"--user-data-dir={profile}"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(line, **pipes) as running:
            try:
                yield Page(running)
            finally:
                running.terminate()
