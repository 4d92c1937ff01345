"""Discounts given on the command line, and the packaged catalog under them."""

from typing import Any

from stowage.model.money.price_terms import SERVICES, PriceTerms
from stowage.platform.errors import BadInput, Problem
from stowage.platform.written import discount_percent
from stowage.workloads.knowledge import KnowledgeSource, packaged_knowledge, with_price_terms


def discounted_source(written: tuple[str, ...]) -> KnowledgeSource:
    """Return the packaged catalog and profiles, with prices after discounts.

    Parameters
    ----------
    written : tuple of str
        Discounts as in ``12%`` for all services except Spot, or ``ebs=20%`` for one; at most one of each.

    Raises
    ------
    BadInput
        A discount or service is not accepted; the path is ``--discount``.
    """
    percents: dict[str, Any] = {}
    for text in written:
        service, sign, percent = text.partition("=")
        name = service.strip().replace("-", "_") if sign else "overall"
        if name not in {"overall", *SERVICES} or (name == "overall" and sign):
            raise _refused(f"{service!r} is not a service; accepted: {', '.join(SERVICES)}")
        if name in percents:
            raise _refused(f"{text!r} is a second discount for {'all services' if name == 'overall' else name}")
        try:
            percents[name] = discount_percent(percent if sign else text)
        except ValueError as error:
            raise _refused(str(error)) from None
    return with_price_terms(packaged_knowledge, PriceTerms(**percents)) if percents else packaged_knowledge


def _refused(message: str) -> BadInput:
    return BadInput([Problem("--discount", message)])
