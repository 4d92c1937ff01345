"""Constants that the page takes from the service.

They are tools, volume types, parts of a cost, axes and colors of sweeps, levels of risk and signs of currencies. They
are in the OpenAPI description, from which code of the page is generated.
"""

from dataclasses import asdict
from typing import Any, get_args

from stowage.documents.charts.cell_colours import FAMILIES, SCALE, CellColour, css
from stowage.features.sweeps.schemas import NEAR_TIE
from stowage.features.sweeps.sweep_file import QUANTITIES
from stowage.measure.tool import TOOLS
from stowage.model.hardware.volume_limits import VOLUME_KINDS, newest
from stowage.model.money.currency import SIGNS, CurrencyCode
from stowage.model.money.terms import TERMS
from stowage.workloads.risk_levels import RISK_LEVELS


def registry() -> dict[str, Any]:
    """Return the constants by name; lists with their entries in the order in which forms show them."""
    limits = {name: newest(name) for name in VOLUME_KINDS}
    return {
        "tools": [{"name": name, "title": kind.title} for name, kind in TOOLS.items()],
        "cost_parts": [
            {"name": term.part, "label": term.label, "month_label": term.month_label or term.label} for term in TERMS
        ],
        "risk_levels": [asdict(level) for level in RISK_LEVELS],
        "sweep_quantities": [
            {"name": name, "in_text": each.in_text, **asdict(each)} for name, each in QUANTITIES.items()
        ],
        "near_tie": NEAR_TIE,
        "cell_colours": {
            "scale": [_colour(each) for each in SCALE],
            "families": [[_colour(each) for each in hue] for hue in FAMILIES],
        },
        "currency_signs": {code: SIGNS.get(code) for code in get_args(CurrencyCode)},
        "volume_types": [
            {"name": name, "provisions": list(of_type.performance.provisions)}
            for name, of_type in limits.items()
            if of_type is not None
        ],
    }


def _colour(colour: CellColour) -> dict[str, str]:
    return {"fill": css(colour, "fill"), "ink": css(colour, "ink")}
