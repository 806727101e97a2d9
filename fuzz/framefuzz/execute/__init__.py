"""Running cases in processes that may die: the fork server, its children, their limits."""
