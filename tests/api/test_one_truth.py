"""Consistency: all outputs show the numbers that the API answers to random questions.

The page is rendered without a browser, from its own components (`frontend/tests/texts.tsx`).
"""

import csv
import io
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

import read_back
from commands import stowage
from composed import check, check_exports, parts_of, table
from published import REPORTS
from questions import question
from rounded import check_rounded
from sanity import check_answer, money_of, time_of
from soaking import everyday, half_and_number
from stowage.cli.screen import show_plan
from stowage.documents.pdf import pdf
from stowage.model.report import Amount, Report
from stowage.workloads.answers import PlanAnswer
from told import cells_say, sentence_says

pytestmark = pytest.mark.one_team

PLANS = "/api/v1/plans"
PAGE = Path(__file__).parents[2] / "frontend"
EVERYDAY, ALL = 8, 500
"""The first eight questions have each job, each objective, EC2 and EMR, and each durability model but "any"."""
NUMBERS = everyday(range(EVERYDAY), range(ALL), "spaces")
SOME = everyday(range(0, EVERYDAY, 5), range(0, ALL, 5), "spaces")
"""Questions for the slowest checks: a process of their own, or a typeset document."""
AT_ONCE = 100
"""Answers that one process of the page describes, in the soak."""
ON_SCREEN = 15
"""Rows of a ranking that page and terminal show."""
REPORT = TypeAdapter(Report)


of_numbers = pytest.mark.parametrize("number", NUMBERS, ids=half_and_number)
of_some = pytest.mark.parametrize("number", SOME, ids=half_and_number)

Json = dict[str, Any]
Asked = Callable[[int], Json]


@pytest.fixture(scope="module")
def plan_of(shared_client: TestClient) -> Asked:
    """Save a question as a plan and return it."""

    @cache
    def saved(number: int) -> Json:
        made = shared_client.post(PLANS, json=question(number))
        assert made.status_code == 201, made.text
        plan: Json = made.json()
        return plan

    return saved


@pytest.fixture(scope="module")
def answer_of(plan_of: Asked) -> Asked:
    """Return the API's answer to a question."""
    return lambda number: dict(plan_of(number)["answer"])


@pytest.fixture(scope="module")
def page_of(answer_of: Asked, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """Return the page's text for answers to questions; several at once, because it starts slowly."""
    asked, said = (tmp_path_factory.mktemp("texts") / name for name in ("asked.json", "said.json"))

    @cache
    def texts(numbers: range) -> list[Json]:
        asked.write_text(json.dumps([{"document": question(each), "answer": answer_of(each)} for each in numbers]))
        done = subprocess.run(
            ["node", "scripts/texts.mjs", asked, said],  # noqa: S607 - of the test's machine
            cwd=PAGE,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found: list[Json] = json.loads(said.read_text())
        return found

    def text(number: int) -> Json:
        if number < EVERYDAY:
            return texts(range(EVERYDAY))[number]
        end = number - number % AT_ONCE + AT_ONCE
        numbers = range(max(end - AT_ONCE, EVERYDAY) + number % 2, end, 2)
        return texts(numbers)[numbers.index(number)]

    return text


@pytest.fixture(scope="module")
def report_of(shared_client: TestClient, plan_of: Asked) -> Callable[[int], Report]:
    """Return the report of a question that was saved as a plan."""

    @cache
    def reported(number: int) -> Report:
        origin = {"kind": "plan", "plan_id": plan_of(number)["id"]}
        seen = shared_client.post(f"{REPORTS}/preview", json={"title": "Report", "outlook": None, "origin": origin})
        assert seen.status_code == 200, seen.text
        return REPORT.validate_python(seen.json()["report"])

    return reported


@of_numbers
def test_the_answer_is_sane(number: int, answer_of: Asked) -> None:
    check_answer(answer_of(number), question(number))


@of_numbers
def test_the_page_says_what_the_api_answers(number: int, answer_of: Asked, page_of: Asked) -> None:
    answer, page = answer_of(number), page_of(number)
    rows, objective = answer["configurations"], answer["objective"]
    assert page["sentence"] == answer["sentence"]
    assert all(each["words"] in page["assumed"] for each in answer["assumed"])
    if not rows:
        assert all(miss["sentence"] in page["nothing"] for miss in answer["near_misses"])
        return
    sentence_says(answer["sentence"], rows[0], objective)
    assert len(page["ranking"]) == min(len(rows), ON_SCREEN)
    for row, cells in zip(rows, page["ranking"], strict=False):
        cells_say(row, cells, objective)
    _chart_shows(page["chart"], answer)
    _details_say(page, rows[0], objective)
    _file_has(page["csv"], rows, objective)
    for each in page["told"]:
        value, unit = each["exact"].split(" ", 1)
        if unit in {"s", "USD"}:
            read = read_back.duration if unit == "s" else read_back.usd
            assert read(each["text"]).holds(float(value)), each


@of_numbers
def test_the_terminal_says_what_the_api_answers(
    number: int, answer_of: Asked, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = answer_of(number)
    monkeypatch.setenv("COLUMNS", "600")
    show_plan(PlanAnswer.model_validate(answer))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].strip() == answer["sentence"]
    assert all(any(miss["sentence"] in line for line in lines) for miss in answer["near_misses"])
    rows = answer["configurations"][:ON_SCREEN]
    top = next((place for place, line in enumerate(lines) if "───" in line), 0) + 1
    for row, line, below in zip(rows, lines[top::2], lines[top + 1 :: 2], strict=False):
        rank, name, *cells = re.split(r"  +", line.strip())
        assert (rank, name) == (str(row["rank"]), f"{row['nodes']:,} × {row['instance']}")
        assert row["storage_words"] in below
        month = answer["objective"] == "month"
        money, time = cells[:2] if month else reversed(cells[:2])
        assert read_back.usd(money).holds(money_of(row, answer["objective"]))
        assert read_back.duration(time).holds(time_of(row))
        if row["meets_deadline"] is not None:
            (risk,) = re.findall(r"\S*(?:over |under )?[\d.]+%", line)
            assert read_back.percent(risk).holds(1.0 - row["meets_deadline"])


@of_some
def test_preview_stored_plan_and_a_command_in_a_process_of_its_own_answer_the_same(
    number: int, plan_of: Asked, shared_client: TestClient
) -> None:
    plan = plan_of(number)
    answer = _lasting(plan["answer"])
    assert shared_client.get(f"{PLANS}/{plan['id']}").json()["answer"] == plan["answer"]
    exact = _lasting(shared_client.post(f"{PLANS}/preview", json=question(number)).json())
    check_rounded(answer, exact)
    done = stowage("plan", "-", "--json", stdin=json.dumps(question(number)))
    assert done.returncode == (0 if answer["configurations"] else 3), done.stderr
    assert _lasting(json.loads(done.stdout)) == exact


@of_numbers
def test_the_report_and_its_files_say_what_the_api_answers(
    number: int, answer_of: Asked, report_of: Callable[[int], Report]
) -> None:
    answer, report = answer_of(number), report_of(number)
    assert report.sentence == answer["sentence"]
    check(report)
    check_exports(report)
    for each in _amounts(report):
        read = {"s": read_back.duration, "USD": read_back.usd, "USD/month": read_back.usd}.get(each.unit)
        if read is not None and each.words[0] not in "+−s":
            assert read(each.words.split(",  ")[0]).holds(each.value), each
    if answer["configurations"]:
        _report_says(report, answer)


@of_some
def test_the_typeset_report_says_what_it_holds(number: int, report_of: Callable[[int], Report]) -> None:
    report = report_of(number)
    pages = pypdfium2.PdfDocument(pdf(report, None))
    read = "".join("".join(page.get_textpage().get_text_range().split()) for page in pages)
    for each in _amounts(report):
        assert "".join(each.words.split()) in read, each


def _lasting(answer: Json) -> Json:
    """Remove fields that differ between two requests: computing time, and which rows include their sources."""
    passing = {"provenance", "causes", "courses", "sources"}
    rows = [{name: each for name, each in row.items() if name not in passing} for row in answer["configurations"]]
    return {**answer, "configurations": rows, "elapsed_s": None}


def _chart_shows(chart: Json, answer: Json) -> None:
    rows, objective = answer["configurations"], answer["objective"]
    assert chart["of"] == ("month" if objective == "month" else "run")
    ranked = [(point["time_s"], point["cost_usd"]) for point in chart["ranked"]]
    assert ranked == [(time_of(row), money_of(row, objective)) for row in rows]
    money = "cost_always_on_usd" if objective == "month" else "cost_usd"
    frontier = sorted((point["time_s"], point["cost_usd"]) for point in chart["frontier"])
    assert frontier == sorted((point["time_s"], point[money]) for point in answer["frontier"])
    for each in chart["hovers"]:
        _, words, exact, *_ = each["text"].split("<br>")
        time, cost = words.replace(" a month", "").split(" · ")
        assert exact.startswith(f"{_js(each['time_s'])} s · {_js(each['cost_usd'])} USD")
        assert read_back.duration(time).holds(each["time_s"])
        assert read_back.usd(cost).holds(each["cost_usd"])


def _js(number: float) -> str:
    """Format a number as the page does."""
    return str(int(number)) if number == int(number) else repr(number)


def _details_say(page: Json, row: Json, objective: str) -> None:
    parts = row["cost_always_on_parts_usd" if objective == "month" else "cost_parts_usd"]
    shown, spans = page["details"][:2]
    told = [read_back.usd(cells["Cost"]) for cells in shown]
    assert all(span.holds(value) for span, value in zip(told, (v for v in _in_order(parts) if v > 0), strict=True))
    for cells, of in zip(spans, ("time_s", "cost_usd"), strict=True):
        read = read_back.duration if of == "time_s" else read_back.usd
        assert all(read(cells[name]).holds(row[of][name]) for name in ("p10", "p50", "p90"))
    entries = dict(page["entries"])
    assert read_back.usd(entries["Always-on monthly cost"]).holds(row["cost_always_on_usd"])
    if objective != "month":
        assert read_back.duration(entries["Billed for"]).holds(row["billed_s"])
        month = next(text for name, text in entries.items() if name.startswith("A month of"))
        assert read_back.usd(month.split()[0]).holds(row["cost_per_month_usd"]["p50"])


def _in_order(parts: Json) -> Iterator[float]:
    """Yield parts in the page's order."""
    order = ("instances", "launch", "idle_commitment", "ebs_link", "ebs_volumes", "volume_io", "object_store")
    return (parts[name] for name in (*order, "head_nodes", "emr_fee", "traffic", "rework"))


def _file_has(text: str, rows: list[Json], objective: str) -> None:
    found = list(csv.DictReader(io.StringIO(text)))
    assert len(found) == len(rows)
    for line, row in zip(found, rows, strict=True):
        assert (line["rank"], line["instance"], line["nodes"]) == tuple(
            str(row[name]) for name in ("rank", "instance", "nodes")
        )
        for quantile in ("p10", "p50", "p90"):
            assert float(line[f"time_{quantile}_s"]) == row["time_s"][quantile]
            assert objective == "month" or float(line[f"cost_{quantile}_usd"]) == row["cost_usd"][quantile]
        assert objective != "month" or float(line["month_always_on_usd"]) == row["cost_always_on_usd"]
        risk = line["chance_to_miss_deadline_percent"]
        assert (float(risk) / 100.0 if risk else None) == (
            None if row["meets_deadline"] is None else pytest.approx(1.0 - row["meets_deadline"], abs=1e-12)
        )


def _amounts(report: Report) -> list[Amount]:
    return [part for part in parts_of(report) if isinstance(part, Amount)]


def _report_says(report: Report, answer: Json) -> None:
    month = answer["objective"] == "month"
    options = table(report, "options")
    for row, cells in zip(answer["configurations"], options.values(), strict=False):
        assert cells["option"] == f"{row['nodes']:,} × {row['instance']}"
        assert cells["time_s"].value == time_of(row)
        assert cells["loss"].value == row["loss_probability"]
        if row["meets_deadline"] is not None:
            assert cells["in_time"].value == row["meets_deadline"]
        if month:
            assert cells["month_usd"].value == row["cost_always_on_usd"]
        else:
            assert cells["cost_usd"].value == row["cost_usd"]["p50"]
    first = answer["configurations"][0]
    parts = table(report, "cost-parts")
    told = first["cost_always_on_parts_usd" if month else "cost_parts_usd"]
    for part, value in told.items():
        assert parts[part]["rank_1_usd"].value == value if part in parts else value == 0.0
    assert parts["total"]["rank_1_usd"].value == money_of(first, answer["objective"])
