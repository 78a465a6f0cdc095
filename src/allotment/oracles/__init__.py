"""Pure combinatorics: which arms to cover, given what each is worth and what each costs."""
