"""What figures are made of: colours, orders, the simplex, heatmaps, picking, and their style."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]
