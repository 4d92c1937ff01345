import type { ReactNode } from "react";
import { type MeasurementRow, measurements as measurementsQuery, TOOLS } from "@/api/measurements/measurements";
import { measuredWords } from "@/lib/measured";
import { useAheadText } from "@/lib/useAhead";
import { moment } from "@/lib/wording";
import { fieldsOf, type Options } from "@/ui/forms/fields";
import { linkToMeasurement } from "@/ui/links/objects";
import { List, SearchBox } from "@/ui/list/List";
import { useRows } from "@/ui/list/useRows";
import classes from "./Measurements.module.css";
import type { MeasurementsSearch } from "./search";
import { VerdictMark } from "./VerdictMark";

const VERDICTS: Options = [
  ["", "Every verdict"],
  ["good", "Good"],
  ["doubtful", "Doubtful"],
  ["rejected", "Rejected"],
];

interface ListTabProps {
  search: MeasurementsSearch;
  onSearch: (change: { [key in keyof MeasurementsSearch]?: string | undefined }) => void;
  start: ReactNode;
}

/** List of stored measurements, newest first. */
export function ListTab({ search, onSearch, start }: ListTabProps) {
  const [text, setText] = useAheadText(search.search ?? "", (next) => onSearch({ search: next }));
  const asked = {
    search: (search.search ?? "").trim(),
    tool: search.tool ?? "",
    verdict: search.verdict ?? "",
  } as const;
  const list = useRows(measurementsQuery(asked), (page) => page.measurements);
  const filtered = asked.search !== "" || asked.tool !== "" || asked.verdict !== "";
  const { select } = fieldsOf<"tool" | "verdict">({
    values: asked,
    errors: {},
    onChange: (field, value) => onSearch({ [field]: value }),
    size: "xs",
  });
  return (
    <>
      <div className="filters no-print">
        <SearchBox
          size="xs"
          label="Words"
          className="words"
          placeholder="Name, tool, instance type, person"
          value={text}
          onText={setText}
        />
        {select("tool", "Tool", [["", "Every tool"], ...TOOLS.map((tool) => [tool, tool] as const)])}
        {select("verdict", "Verdict", VERDICTS)}
      </div>
      <List
        {...list}
        kept="Stored measurements are unchanged."
        label={{ "aria-label": "Measurements" }}
        className={classes.readings}
        filter={{
          active: filtered,
          none: "No measurement fits all of this.",
          all: "Show all measurements",
          onAll: () => onSearch({ search: "", tool: "", verdict: "" }),
        }}
        empty={
          <>
            <p>No measurement is kept yet.</p>
            {start}
          </>
        }
        row={(row) => <Row key={row.id} row={row} />}
      />
    </>
  );
}

function Row({ row }: { row: MeasurementRow }) {
  return (
    <li data-off={row.verdict === "rejected" || undefined}>
      <div className={classes.readingHead}>
        <div className={classes.readingName}>{linkToMeasurement(row.id, row.name)}</div>
        <div className="dim small">{row.target_words}</div>
        <div className="dim small">
          {row.tool_version ?? row.tool} · {row.measured_at ? moment(row.measured_at) : "not dated"}
          {` · kept by ${row.person}`}
          {row.source === null ? "" : ` · ${row.source}`}
        </div>
      </div>
      <div className={classes.figures}>
        {row.headline.map(({ name, value, unit, what }) => (
          <span key={name} className={classes.figure} title={`${value} ${unit}`}>
            <strong>{measuredWords(name, value, unit)}</strong> <span className="dim small">{what}</span>
          </span>
        ))}
      </div>
      <div>
        <VerdictMark verdict={row.verdict} />
      </div>
    </li>
  );
}
