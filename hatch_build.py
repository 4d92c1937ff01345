"""Put the migrations and the built page into wheels, so that an installed wheel runs without the checkout.

A plain `force-include` would also be demanded of editable installs, where the page need not be built yet.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TRAVELLING = {"migrations": "stowage/migrations", "frontend/dist": "stowage/page"}


class Travelling(BuildHookInterface[Any]):
    """Adds the folders that live outside the import package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Include each folder in a standard wheel; refuse to build one without it."""
        if version != "standard":
            return
        for folder, target in TRAVELLING.items():
            if not (Path(self.root) / folder).is_dir():
                raise FileNotFoundError(f"{folder} is missing: run `make setup` before building a wheel")
            build_data["force_include"][folder] = target
