"""WeasyPrint's side of bench/typesetting.py: runs in an environment that has WeasyPrint, and knows nothing of Stowage.

Reads what the template of the report takes as JSON from standard input, sets it as HTML in the same typefaces, and
writes times [s] and memory [MiB] as JSON to standard output.
"""

import json
import resource
import statistics
import sys
import time
from html import escape
from typing import Any

STYLE = """
@page { size: A4; margin: 22mm 19mm 20mm; @bottom-right { content: "Page " counter(page) " of " counter(pages) } }
html { font: 10pt "Source Sans 3"; font-variant-numeric: tabular-nums; color: #1f282d }
h1 { font-size: 23pt } h2 { font-size: 13pt; color: #14545c } table { width: 100%; border-collapse: collapse }
th, td { text-align: left; padding: 0.3em 2mm; border-bottom: 0.4pt solid #e1e7e9 } .number { text-align: right }
thead { display: table-header-group } figure { margin: 0; break-inside: avoid } figure svg { width: 100% }
"""


def cell(found: dict[str, Any] | None) -> str:
    """Return a cell's words with their range."""
    if found is None:
        return "–"
    around = f" <small>{escape(found['range'])}</small>" if found.get("range") else ""
    return escape(found["words"]) + around


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a table, all texts of which are escaped already."""
    head = "".join(f"<th scope=col>{text}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def block(found: dict[str, Any]) -> str:
    """Return a block of a report as HTML."""
    match found["kind"]:
        case "paragraph":
            return "".join(f"<p>{escape(text)}</p>" for text in found["texts"])
        case "facts":
            return table(["", ""], [[escape(fact["label"]), cell(fact["cell"])] for fact in found["facts"]])
        case "chart":
            return f"<figure>{found['svg']}<figcaption>{escape(found['caption'])}</figcaption></figure>"
        case "calculation":
            steps = [[escape(step["label"]), cell(step["cell"]), escape(step["how"])] for step in found["steps"]]
            return table(["", "Value", "From"], steps)
        case _:
            rows = [[cell(each) for each in row["cells"]] for row in found["rows"]]
            return f"<p>{escape(found['caption'])}</p>" + table([escape(h["text"]) for h in found["heads"]], rows)


def page(given: dict[str, Any], fonts: str) -> str:
    """Return a report as HTML."""
    faces = "".join(
        f"@font-face {{ font-family: 'Source Sans 3'; font-weight: {weight}; src: url('file://{fonts}/{name}') }}"
        for weight, name in ((400, "SourceSans3-Regular.otf"), (600, "SourceSans3-Semibold.otf"))
    )
    sections = "".join(
        f"<section><h2>{escape(part['heading'])}</h2>{''.join(map(block, part['blocks']))}</section>"
        for part in given["sections"]
    )
    words = "".join(f"<p>{escape(text)}</p>" for text in given["words"])
    return (
        f"<!doctype html><html lang=en><head><title>{escape(given['title'])}</title><style>{faces}{STYLE}</style>"
        f"</head><body><h1>{escape(given['title'])}</h1><p>{escape(given['sentence'])}</p>{words}{sections}</body></html>"
    )


def memory_mib() -> float:
    """Return the most memory that this process has taken."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Set the report so many times."""
    asked = json.load(sys.stdin)
    started = time.perf_counter()
    import weasyprint  # type: ignore[import-not-found] # noqa: PLC0415 - what importing takes is measured

    imported_s = time.perf_counter() - started
    times_s, cpus_s, made = [], [], b""
    for _ in range(asked["repeats"]):
        started, worked = time.perf_counter(), time.process_time()
        document = weasyprint.HTML(string=page(asked["given"], asked["fonts"]))
        made = document.write_pdf(pdf_variant="pdf/ua-1", pdf_tags=True)
        times_s.append(time.perf_counter() - started)
        cpus_s.append(time.process_time() - worked)
    json.dump(
        {
            "version": weasyprint.__version__,
            "imported_s": imported_s,
            "first_s": times_s[0],
            "median_s": statistics.median(times_s[1:]),
            "longest_s": max(times_s[1:]),
            "cpu_s": statistics.median(cpus_s[1:]),
            "memory_mib": memory_mib(),
            "bytes": len(made),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
