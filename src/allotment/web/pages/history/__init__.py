"""History: every event in words, filtered, page by page, and to download."""
