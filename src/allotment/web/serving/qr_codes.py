"""QR codes of addresses: for a terminal, and for a page."""

import io

import segno
from markupsafe import Markup


def qr_for_terminal(address: str) -> str:
    """A QR code in characters that a terminal shows."""
    out = io.StringIO()
    segno.make(address, micro=False).terminal(out, compact=True)
    return out.getvalue()


def qr_for_page(address: str) -> Markup:
    """A QR code as SVG, dark on light also in a dark page, since cameras need that."""
    code = segno.make(address, micro=False, error="m")
    return Markup(code.svg_inline(scale=6, light="#fff", svgclass="qr", lineclass=None))
