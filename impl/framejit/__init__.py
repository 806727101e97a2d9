"""framejit: a complete, readable frame-evaluating compiler (under construction)."""
