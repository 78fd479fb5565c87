"""Chromium without a window, asked through its own pipe: nothing to install but it."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 60.0
# The browser reads commands from file 3 and answers on file 4; by way of high numbers,
# as either may be in use for the other.
LAUNCHER = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
KEYS = {
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, ""),
    "Escape": ("Escape", 27, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "End": ("End", 35, ""),
}


def find_browser() -> str | None:
    """Return the browser's path, or None where there is none that can be driven."""
    if os.name != "posix":
        return None
    given = os.environ.get("FEATSIEVE_CHROMIUM")
    return given or next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One tab; errors of the page and what it asked of the network are collected."""

    def __init__(self, browser: str) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command_end, self._writes = os.pipe()
        self._reads, answer_end = os.pipe()
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--no-first-run",
            "--disable-extensions",
            "--disable-background-networking",
            f"--user-data-dir={self._folder.name}",
            "--remote-debugging-pipe",
            "about:blank",
        ]
        fds = (command_end, answer_end)
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, *map(str, fds), browser, *options],
            pass_fds=fds,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in fds:
            os.close(end)
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._session: str | None = None
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.dialogs = 0
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self) -> None:
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(each["targetId"] for each in targets if each["type"] == "page")
        answer = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = answer["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End the browser."""
        os.close(self._writes)  # it ends when nobody can ask any more
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._reads)
        self._folder.cleanup()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol and return its answer."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                if "error" in answer:
                    msg = f"{method}: {answer['error']['message']}"
                    raise RuntimeError(msg)
                return answer["result"]

    def open(self, path: Path, *, width: int = 1280, height: int = 900) -> None:
        """Load a file and wait until its script has run."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.call("Page.navigate", url="about:blank")
        self.errors.clear()
        self.requests.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """Return the value of an expression."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Wait until an expression holds."""
        end = time.monotonic() + SECONDS
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press and release a key by its name."""
        name, code, text = KEYS[key]
        common = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)

    def place_of(self, selector: str) -> tuple[float, float]:
        """Return the middle of an element, scrolled into sight."""
        found = f"document.querySelector({json.dumps(selector)})"
        box = self.run(
            f"(() => {{ const element = {found};"
            f"element.scrollIntoView({{block: 'center', behavior: 'instant'}});"
            f"const box = element.getBoundingClientRect();"
            f"return [box.x + box.width / 2, box.y + box.height / 2] }})()"
        )
        return box[0], box[1]

    def point_at(self, selector: str) -> None:
        """Move the pointer over an element."""
        x, y = self.place_of(selector)
        # From elsewhere, so that it enters.
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector: str) -> None:
        """Click the middle of an element."""
        x, y = self.place_of(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                button="left",
                clickCount=1,
            )

    def set_scheme(self, scheme: str) -> None:
        """Prefer light or dark, as the system's setting would."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def print(self, path: Path) -> None:
        """Write the page as it prints."""
        answer = self.call("Page.printToPDF", printBackground=True)
        path.write_bytes(base64.b64decode(answer["data"]))

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._reads], [], [], SECONDS)
            part = os.read(self._reads, 1 << 20) if ready else b""
            if not part:
                msg = "The browser does not answer."
                raise RuntimeError(msg)
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method: str | None, told: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            exception = details.get("exception", {})
            self.errors.append(exception.get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and told["type"] in (
            "error",
            "warning",
            "assert",
        ):
            self.errors.append(str(told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] != "info":
            self.errors.append(told["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.dialogs += 1
