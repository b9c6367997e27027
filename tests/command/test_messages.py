"""The command prints that it is still running on a terminal only."""

import os
import pty
import sys
from time import sleep

import pytest

from sklearn_ap._command import messages


@pytest.mark.parametrize("waits", [True, False])
def test_a_terminal_shows_a_sign_of_life_after_some_time(waits, monkeypatch):
    monkeypatch.setattr(messages, "_PATIENCE", 0.2)
    ours, of_command = pty.openpty()
    with open(of_command, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with messages.sign_of_life("reading d.csv"):
            sleep(0.6 * waits)
        sleep(0.4)  # A timer that is not cancelled would print now.
        terminal.write("end")
        terminal.flush()
        text = os.read(ours, 1000).decode()
        while not text.endswith("end"):
            text += os.read(ours, 1000).decode()
    os.close(ours)
    assert text == "sklearn_ap: still reading d.csv\r\n" * waits + "end"


def test_a_pipe_shows_none(monkeypatch, capsys):
    monkeypatch.setattr(messages, "_PATIENCE", 0.0)
    with messages.sign_of_life("reading d.csv"):
        sleep(0.1)
    assert capsys.readouterr().err == ""
