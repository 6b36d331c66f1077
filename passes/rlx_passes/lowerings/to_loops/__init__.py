"""From linalg on tensors to explicit loops over memory, a pass a file."""
