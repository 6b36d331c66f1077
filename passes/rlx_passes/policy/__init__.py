"""Which fusions run when: the policy as data, what targets and options say to it, and what extensions add."""
