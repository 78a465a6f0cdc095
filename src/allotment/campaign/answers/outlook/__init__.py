"""What other budgets and coming rounds would bring."""
