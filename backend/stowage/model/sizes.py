"""Data sizes in MB (10^6 bytes), without numpy, for programs that must start fast."""

from typing import Final

MB_PER_GB: Final = 1_000.0
MB_PER_MIB: Final = 1.048576
MB_PER_GIB: Final = 1_073.741824
MB_PER_TIB: Final = 1_099_511.627776
