"""Contents that are small on disk and large once they are unpacked. Each is made once."""

import functools
import io
import zipfile


@functools.cache
def zeros(count):
    return bytes(count)


@functools.cache
def archive(name, count, character=b" "):
    """A zip file with one member of so many equal characters."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target,
        target.open(name, "w") as member,
    ):
        block = character * 2**20
        for _ in range(count >> 20):
            member.write(block)
    return made.getvalue()


def rezipped(content, changes, drop=()):
    """A zip file with some members replaced or added; the rest as it was, with fixed times."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as source,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        names = [name for name in source.namelist() if name not in drop]
        for name in dict.fromkeys([*names, *changes]):
            new = changes.get(name)
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            target.writestr(
                info, source.read(name) if new is None else new, zipfile.ZIP_DEFLATED, compresslevel=1
            )
    return made.getvalue()
