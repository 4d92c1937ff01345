"""Types of the arrays that the search passes on."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Indices = NDArray[np.int32]
"""Places in other arrays, as the kernel reads them."""
Records: TypeAlias = Any
"""A structured array. NumPy gives its fields no static types: mypy would compare each operation on a field of an
`NDArray[Any]` with every overload, and still infer `Any`."""
