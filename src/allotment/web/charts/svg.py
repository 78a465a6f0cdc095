"""Elements of SVG as markup. Every value is escaped."""

from collections.abc import Sequence

from markupsafe import Markup, escape


def element(tag: str, content: Markup | str = "", **attributes: object) -> Markup:
    """An element. In names of attributes, an underscore at the end goes, and others become hyphens.

    >>> element("text", "<Dock>", x=1.5, class_="chart__name")
    Markup('<text x="1.5" class="chart__name">&lt;Dock&gt;</text>')
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{tag}{written}>{escape(content)}</{tag}>")


def joined(parts: Sequence[Markup]) -> Markup:
    """Elements one after the other."""
    return Markup("").join(parts)


def picture(
    parts: Sequence[Markup],
    width: float,
    height: float,
    label: str,
    description: str = "",
    *,
    role: str = "img",
    kind: str = "",
) -> Markup:
    """A whole picture, which says in words what it is, and in the description what there is to see.

    A picture with links in it has the role group. `kind` is a class of its own for its looks.
    """
    said = [element("desc", description)] if description else []
    content = joined([element("title", label), *said, *parts])
    return element(
        "svg",
        content,
        viewBox=f"0 0 {_text(width)} {_text(height)}",
        class_=f"chart {kind}".rstrip(),
        role=role,
        aria_label=label,
    )


def path_of(points: Sequence[tuple[float, float]], *, closed: bool = False) -> str:
    """The `d` of a path through points."""
    steps = " ".join(f"{_text(x)} {_text(y)}" for x, y in points)
    return f"M{steps}{'Z' if closed else ''}"


def _text(value: object) -> str:
    """A value as an attribute; numbers with few digits."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)
