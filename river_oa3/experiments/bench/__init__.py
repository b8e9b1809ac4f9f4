"""How fast the learners are, beside others."""
