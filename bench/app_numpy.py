# SPDX-License-Identifier: MIT
"""A stand-in for everyday numpy: products, a factorisation and elementwise work of middling sizes."""
import numpy

rng = numpy.random.default_rng(1)
a = rng.random((300, 300))
total = 0.0
for _ in range(30):
    b = a @ a.T + 300 * numpy.eye(300)
    c = numpy.linalg.cholesky(b)
    total += float(numpy.tanh(c).sum()) + float(numpy.linalg.svd(a[:100, :100], compute_uv=False)[0])
print(f"{total:.6f}")
