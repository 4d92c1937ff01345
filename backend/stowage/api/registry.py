"""Lists that the page shares with the service: tools and volume types. The OpenAPI description carries them."""

from typing import Any

from stowage.measure.tool import TOOLS
from stowage.model.hardware.volume_limits import VOLUME_KINDS, newest


def registry() -> dict[str, Any]:
    """Return the lists, in the order in which forms show them."""
    limits = {name: newest(name) for name in VOLUME_KINDS}
    return {
        "tools": [{"name": name, "title": kind.title} for name, kind in TOOLS.items()],
        "volume_types": [
            {"name": name, "provisions": list(of_type.performance.provisions)}
            for name, of_type in limits.items()
            if of_type is not None
        ],
    }
