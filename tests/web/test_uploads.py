"""Files that visitors send: bombs are refused early, by a process with limits, and the server stays small."""

import io
import json
import re
import resource
import subprocess
import sys
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

import pytest

from allotment.errors import FileError
from allotment.system.processes import same_imports
from allotment.web.files import uploads
from allotment.web.files.table_reader import BYTES, CPU_SECONDS, MEMORY
from allotment.web.files.uploads import plain_table, shown_name
from allotment.web.security.limits import UPLOAD_BYTES
from running import PATIENCE_SECONDS
from web_hostile_files import BOMBS, GIGABYTE, bomb, memory, pour, settled_memory
from web_serving import serving

MEGABYTE = 2**20


SAY_MEMORY = (
    "import atexit, pathlib; status = pathlib.Path('/proc/self/status');"
    "atexit.register(lambda: print(status.read_text().partition('VmHWM:')[2].split()[0]));"
)  # what the system says of a child includes its parent's memory at the fork


def unpacked(sent, written):
    """Run the process that unpacks: its exit code, what it says, its memory in bytes and its seconds."""
    asked = {"job": "table", "sent": str(sent), "written": str(written), "header": None, "sheet": None}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-P", "-c", SAY_MEMORY + uploads.PROGRAM],
        input=json.dumps(asked),
        capture_output=True,
        env=same_imports(),
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stderr, int(done.stdout) * 1024, seconds


@pytest.mark.parametrize("kind", BOMBS)
def test_a_workbook_that_unpacks_to_gigabytes_is_refused_early(tmp_path, kind):
    content = bomb(kind)
    assert len(content) < UPLOAD_BYTES  # which the server takes
    (tmp_path / "bomb.xlsx").write_bytes(content)
    code, said, most, seconds = unpacked(tmp_path / "bomb.xlsx", tmp_path / "out.csv")
    assert code == 2 and said.count("\n") == 1, said
    assert re.search(r"at most|unpacks to more than|holds more than its directory says", said)
    assert most < 250 * MEGABYTE and seconds < 10, (most, seconds)
    out = tmp_path / "out.csv"
    assert not out.exists() or out.stat().st_size < 50 * MEGABYTE


def test_a_bomb_is_a_sentence_on_the_page(campaign, visitor):
    files = {"log": ("bomb.xlsx", bomb("rows, said openly"))}
    answer = visitor.submit("/c/1/import", seen="/c/1/import", files=files)
    assert answer.headers["location"] == "/c/1/import"
    text = visitor.get("/c/1/import").text
    assert "bomb.xlsx has too much in it; expected at most 536,870,912 bytes" in text


def test_the_process_has_limits():
    program = (
        "import resource; from allotment.web.files.table_reader import limit; limit();"
        "kinds = [getattr(resource, 'RLIMIT_' + name) for name in ('AS', 'CPU', 'FSIZE', 'CORE')];"
        "print([resource.getrlimit(kind) for kind in kinds]);"
        "bytearray(3 * 2**30)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=same_imports(), capture_output=True, text=True, check=False
    )
    limits = [MEMORY, CPU_SECONDS, BYTES, 0]
    assert done.stdout.strip() == str([(each, each) for each in limits])
    assert done.returncode == 1 and "MemoryError" in done.stderr


@pytest.mark.parametrize(
    ("program", "seconds", "sentence"),
    [
        ("import time; time.sleep(6000)", 0.5, "reading log.csv takes longer than 0.5 s"),
        ("import os; os.abort()", PATIENCE_SECONDS, "log.csv is damaged, or too large to be read"),
        ("raise MemoryError", PATIENCE_SECONDS, "log.csv is damaged, or too large to be read"),
        (
            "import sys; print('line 3 of', sys.stdin.read(), file=sys.stderr); sys.exit(2)",
            PATIENCE_SECONDS,
            "line 3 of",
        ),
    ],
)
def test_whatever_becomes_of_the_process_is_a_sentence(monkeypatch, program, seconds, sentence):
    monkeypatch.setattr(uploads, "PROGRAM", program)
    monkeypatch.setattr(uploads, "SECONDS", seconds)
    with pytest.raises(FileError, match=sentence) as caught, plain_table(io.BytesIO(b"a\n"), "log.csv"):
        pass
    assert "allotment-files-" not in str(caught.value)


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        (r"C:\logs\night.csv", "night.csv"),
        ("\u202egpj.exe.csv", "\ufffdgpj.exe.csv"),
        ("a\nb\x00.csv", "a b\ufffd.csv"),
        ("", "the file"),
        ("x" * 300 + ".csv", "x" * 95 + "….csv"),
    ],
)
def test_names_of_files_are_printable_and_short(sent, shown):
    assert shown_name(sent) == shown and len(shown) <= 100


def test_a_gigabyte_is_refused_early_and_takes_no_memory(campaign, store):
    with serving(store) as served:
        jar = CookieJar()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(served.sign_in).query)["code"][0]
        data = urllib.parse.urlencode({"code": code}).encode()
        browser.open(
            urllib.request.Request(f"{served.address}/sign-in", data, {"Origin": served.address})
        ).close()
        with browser.open(f"{served.address}/c/1/import") as page:
            token = re.search(r'name="csrf" value="([^"]+)"', page.read().decode())[1]
        boundary = {"Origin": served.address, "Content-Type": "multipart/form-data; boundary=x"}
        headers = {**boundary, "Cookie": "; ".join(f"{each.name}={each.value}" for each in jar)}
        start = (
            f'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{token}\r\n'
            '--x\r\nContent-Disposition: form-data; name="log"; filename="log.csv"\r\n\r\n'
        ).encode()
        before = settled_memory(served.process.pid)
        sent, answer = pour(served.address, "/c/1/import", headers, start)  # which does not say its length
        assert "413" in answer and sent < UPLOAD_BYTES + 64 * MEGABYTE < GIGABYTE // 10
        sent, answer = pour(served.address, "/c/1/import", headers, start, chunked=False)
        assert "413" in answer and sent < 16 * MEGABYTE
        sent, answer = pour(served.address, "/c/1/import", boundary, start)  # a stranger
        assert "403" in answer and sent < 16 * MEGABYTE
        assert memory(served.process.pid) - before < 100 * MEGABYTE
        with browser.open(f"{served.address}/c/1/import") as page:
            assert page.status == 200
    assert campaign.last_event == 1
