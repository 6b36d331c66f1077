"""
Decomposed forms found again: products, softmax, norms, gelu and attention out of primitive ops.

One pattern family a file. A pattern raises a form only where the raised op gives the same values up to rounding; each
says in its docstring which forms those are.
"""
