"""What a tensor's elements are in Python. Where NumPy is not to be loaded, only type checkers import this."""

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
