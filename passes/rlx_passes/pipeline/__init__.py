"""Pipeline policy: which passes run for a target, with which options, in which order. Targets and policy are data."""
