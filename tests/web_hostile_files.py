"""Files that are made to break their reader: workbooks that unpack to gigabytes, a gigabyte of CSV."""

import io
import socket
import time
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import openpyxl

from running import PATIENCE_SECONDS

GIGABYTE = 2**30
SHEET, TEXTS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
KIND = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
NAMED_TEXTS = b'<Override PartName="/xl/sharedStrings.xml" ContentType="' + KIND + b'"/>'
BOMBS = {  # by name: the part that explodes, what it begins with, what is repeated, what it claims to hold
    "rows, said openly": (SHEET, "sheetData", b"<row><c><v>1</v></c></row>" * 4000, None),
    "rows, kept quiet": (SHEET, "sheetData", b"<row><c><v>1</v></c></row>" * 4000, 2**20),
    "one endless cell": (SHEET, "sheetData", b"1" * 2**17, 2**20),
    "texts, said openly": (TEXTS, "", b"<si><t>x</t></si>" * 8000, None),
    "texts, kept quiet": (TEXTS, "", b"<si><t>x</t></si>" * 8000, 2**20),
}


def bomb(kind, unpacked=3 * GIGABYTE):
    """A workbook of a few megabytes that unpacks to gigabytes."""
    part, inner, repeated, claimed = BOMBS[kind]
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    root = "sst" if part == TEXTS else "worksheet"
    start = f'<{root} xmlns="{NAMESPACE}">' + (f"<{inner}>" if inner else "")
    if kind == "one endless cell":
        start += "<row><c><v>"
    packed = [packer.compress(start.encode()) + packer.flush(zlib.Z_FULL_FLUSH)]
    block = packer.compress(repeated) + packer.flush(zlib.Z_FULL_FLUSH)
    times = unpacked // len(repeated)
    packed += [block] * times  # after a full flush, equal bytes are packed to equal bytes
    size = len(start) + times * len(repeated) if claimed is None else claimed
    beginning = (start.encode() + repeated * (1 + 2**20 // len(repeated)))[: 2**20 + 1]
    return _workbook(part, b"".join(packed), size, zlib.crc32(beginning))


def _workbook(part, packed, size, checksum):
    """An ordinary workbook, but for one part: a stream that was packed before, and what is claimed of it."""
    ordinary = io.BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["date", "place", "amount", "incidents"])
    book.save(ordinary)
    written = io.BytesIO()
    with zipfile.ZipFile(ordinary) as source, zipfile.ZipFile(written, "w") as target:
        for name in source.namelist():
            if name == "[Content_Types].xml":
                target.writestr(name, source.read(name).replace(b"</Types>", NAMED_TEXTS + b"</Types>"))
            elif name != part:
                target.writestr(name, source.read(name))
        if part != TEXTS:
            target.writestr(TEXTS, f'<sst xmlns="{NAMESPACE}"/>')
        info = zipfile.ZipInfo(part)
        info.compress_type, info.CRC = zipfile.ZIP_DEFLATED, checksum
        info.compress_size, info.file_size = len(packed), size
        info.header_offset = target.fp.tell()
        target.fp.write(info.FileHeader() + packed)
        target.filelist.append(info)
        target.NameToInfo[part] = info
        target.start_dir = target.fp.tell()
        target._didModify = True
    return written.getvalue()


def pour(address, path, headers, start, total=GIGABYTE, *, chunked=True):
    """Send a body of a gigabyte, as much of it as the server takes; the bytes sent, and the answer's head."""
    host, port = urlsplit(address).hostname, urlsplit(address).port
    lines = b"2026-01-01,Dock,1,0\n" * (2**20 // 20)
    sent, answer = 0, b""
    with socket.create_connection((host, port), timeout=PATIENCE_SECONDS) as line:
        how = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {total}"
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        line.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\n{head}{how}\r\n\r\n".encode())
        try:
            for block in (start, *[lines] * (total // len(lines))):
                line.sendall(b"%x\r\n%s\r\n" % (len(block), block) if chunked else block)
                sent += len(block)
                line.setblocking(False)
                with suppress(BlockingIOError):
                    answer += line.recv(2**16)
                line.settimeout(PATIENCE_SECONDS)
        except (BrokenPipeError, ConnectionResetError):
            pass
        while b"\r\n\r\n" not in answer:
            try:
                found = line.recv(2**16)
            except (ConnectionResetError, TimeoutError):
                break
            if not found:
                break
            answer += found
    return sent, answer.partition(b"\r\n")[0].decode()


def memory(process, which="VmHWM"):
    """The bytes of memory that a process has, or had at most."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(which)) * 1024


def settled_memory(process):
    """The bytes of memory that a process has once it has loaded all that it loads by itself."""
    before = 0
    while (now := memory(process, "VmRSS")) != before:
        before = now
        time.sleep(0.5)
    return before
