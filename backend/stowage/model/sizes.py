"""Data sizes in MB (10^6 bytes), without numpy, for programs that must start fast."""

from typing import Final

MB_PER_GB: Final = 1_000.0
"""10^9 bytes [MB/GB]."""
MB_PER_MIB: Final = 1.048576
"""2^20 bytes [MB/MiB]."""
MB_PER_GIB: Final = 1_073.741824
"""2^30 bytes [MB/GiB]."""
MB_PER_TIB: Final = 1_099_511.627776
"""2^40 bytes [MB/TiB]."""
