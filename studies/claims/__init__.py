"""Numbers that pages quote, measured: AnyResponse beside Joint, ties, intervals, and shared luck."""
