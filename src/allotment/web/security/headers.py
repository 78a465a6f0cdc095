"""The headers of every answer, errors included."""

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
SECURITY_HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),  # for browsers that do not know frame-ancestors
)
HSTS = (b"strict-transport-security", b"max-age=31536000")  # where the certificate is one that browsers trust
NAMES = frozenset(name for name, _ in SECURITY_HEADERS)
OWN_POLICY = b"x-own-policy"  # of a route whose page has a policy of its own; it never leaves the server


def with_security(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Add our headers to an answer; they replace headers of the same name.

    The duty sheet runs no script and has a style of its own, which its policy names by its hash.
    """
    policies = [value for name, value in headers if name.lower() == OWN_POLICY]
    own = {b"content-security-policy": policies[-1]} if policies else {}
    kept = [(name, value) for name, value in headers if name.lower() not in NAMES | {OWN_POLICY}]
    return kept + [(name, own.get(name, value)) for name, value in SECURITY_HEADERS]
