"""What routes ask for: visits, forms, problems."""
