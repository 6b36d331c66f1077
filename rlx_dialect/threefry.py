"""
The constants of Threefry-2x32 with 20 rounds.

A round adds the second word to the first, turns the second to the left and xors the first into it. After each four
rounds two words of the key and the number of the step are added.
"""

PARITY = 0x1BD11BDA
"""The third word of the key is the xor of the two given ones and this."""

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
"""By how much the second word turns, in the four rounds of an even and of an odd step."""

SCHEDULE = ((1, 2), (2, 0), (0, 1), (1, 2), (2, 0))
"""Which words of the key are added to the first and the second word after each step."""
