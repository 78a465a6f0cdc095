"""`allotment serve`: its options, its sign-in file, and how it stops."""

import signal
import stat
import urllib.request

import pytest

from allotment.web.serving.opening import RedirectFile, open_browser
from allotment.web.serving.server import listening
from running import PATIENCE_SECONDS
from web_serving import serving


def test_a_port_in_use_is_a_sentence(allotment, store):
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        answer = allotment("serve", store, "--port", port, "--no-browser")
    assert answer.code == 2
    assert f"port {port} is in use" in answer.err


@pytest.mark.parametrize("port", [-1, 65536, 10**30])
def test_a_port_that_does_not_exist_is_a_sentence(allotment, store, port):
    answer = allotment("serve", store, "--port", port, "--no-browser")
    assert answer.code == 2 and answer.err.count("\n") == 1


def test_a_file_that_is_no_store_is_a_sentence(allotment, tmp_path):
    (tmp_path / "notes.db").write_text("hello")
    answer = allotment("serve", tmp_path / "notes.db", "--port", "0", "--no-browser")
    assert answer.code == 2 and "is not a store of campaigns" in answer.err


def test_without_the_extra_the_command_says_how_to_install_it(allotment, store, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fastapi", None)
    answer = allotment("serve", store)
    assert answer.code == 2
    assert "pip install 'allotment[web]'" in answer.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_gracefully(store, number):
    with serving(store) as served:
        with urllib.request.urlopen(f"{served.address}/sign-in") as answer:
            assert answer.status == 200
        served.process.send_signal(number)
        assert served.process.wait(PATIENCE_SECONDS) == 0
        assert served.process.stdout.read() == "The server has stopped.\n"
    assert not store.exists()  # looking makes no file


def test_only_the_user_may_read_the_sign_in_file(monkeypatch):
    file, opened = RedirectFile(), []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    assert open_browser("http://127.0.0.1:8350/sign-in?code=a&b", file)
    path = file.path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert opened == [path.as_uri()] and "code" not in opened[0]
    assert "code=a&amp;b" in path.read_text()
    file.remove()
    assert not path.exists()


def test_without_a_screen_no_browser_is_tried(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert not open_browser("http://127.0.0.1:8350/", RedirectFile())
