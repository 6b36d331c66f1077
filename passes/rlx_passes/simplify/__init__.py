"""Passes that leave the meaning of a program as it is and say it more simply or more exactly."""
