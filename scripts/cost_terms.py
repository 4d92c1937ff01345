"""Write the C of a cost's terms, `optimizer/csrc/cost_terms.h`, from their formulas in `stowage.model.money.terms`.

`python scripts/cost_terms.py` writes the file; with `--check` it fails where the file is out of date.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from stowage.model.formula import Called, Key, Negative, Number, Pair, Term, parse
from stowage.model.money.terms import DERIVED, TERMS

HEADER = Path(__file__).resolve().parents[1] / "backend/stowage/optimizer/csrc/cost_terms.h"
INPUTS = {
    "nodes": "1",
    "usd_per_hour": "USD/h",
    "ebs_link_usd_per_hour": "USD/h",
    "emr_usd_per_hour": "USD/h",
    "volumes_usd_per_month": "USD/month",
    "head_nodes": "1",
    "head_usd_per_hour": "USD/h",
    "head_emr_usd_per_hour": "USD/h",
    "work_s": "s",
    "rework_s": "s",
    "launch_s": "s",
    "minimum_billed_s": "s",
    "committed_s": "s",
}
"""Inputs of the formulas, with units."""
_FUNCTIONS = {"max": "larger", "min": "smaller"}


def text() -> str:
    """Return the C file: the inputs, a function for each formula, and the sum of all parts."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    charges = [term.part for term in TERMS if term.line is None]
    yield "/* Terms of a cost. scripts/cost_terms.py generates this file from stowage.model.money.terms. */"
    yield "// clang-format off"
    yield ""
    yield "#ifndef STOWAGE_COST_TERMS_H"
    yield "#define STOWAGE_COST_TERMS_H"
    yield ""
    yield '#include "search.h"'
    yield ""
    yield "typedef struct {"
    for name, unit in INPUTS.items():
        yield f"  double {name}; /* {unit} */"
    for part in charges:
        yield f"  double {part}; /* USD */"
    yield "} CostInputs;"
    formulas = {name: line.formula for name, line in DERIVED.items()}
    formulas |= {f"{term.part}_usd": term.line.formula for term in TERMS if term.line is not None}
    for name, formula in formulas.items():
        yield ""
        yield f"static inline double {name}(const CostInputs *v) {{"
        yield f"  return {written(parse(formula))};"
        yield "}"
    yield ""
    yield "static inline double cost_usd(const CostInputs *v) {"
    for number, term in enumerate(TERMS):
        value = f"v->{term.part}" if term.line is None else f"{term.part}_usd(v)"
        yield f"  usd = usd + {value};" if number else f"  double usd = {value};"
    yield "  return usd;"
    yield "}"
    yield ""
    yield "#endif"


def written(term: Term) -> str:
    """Return an expression in C with the operations in the order of the formula."""
    match term:
        case Number(value):
            return repr(value)
        case Key(key):
            return f"{key}(v)" if key in DERIVED else f"v->{key}"
        case Negative(of):
            return f"(-{written(of)})"
        case Pair(operator, left, right):
            return f"({written(left)} {operator} {written(right)})"
        case Called(name, of):
            return f"{_FUNCTIONS[name]}({', '.join(written(each) for each in of)})"


def main() -> None:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        HEADER.write_text(text(), encoding="utf-8")
    elif HEADER.read_text(encoding="utf-8") != text():
        sys.exit(f"{HEADER.name} is stale: make cost-terms")


if __name__ == "__main__":
    main()
