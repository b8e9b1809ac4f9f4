"""How well the learners do with few labels, beside others: label for label, stream for stream."""
