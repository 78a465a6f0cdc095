"""Who may do what with the campaigns of a store: roles, tokens, and links that sign one phone in."""
