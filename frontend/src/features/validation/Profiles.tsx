import { BELOW, useMedia } from "@/lib/useMedia";
import { percent } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Term } from "@/ui/Term";
import { Table } from "@/ui/table/Table";
import type { FrameworkAnswer } from "./answer";
import classes from "./ValidationPage.module.css";
import { sizeWords } from "./words";

/** Distances of the frameworks from the physical limit, with their sources. */
export function Profiles({ frameworks }: { frameworks: readonly FrameworkAnswer[] }) {
  const narrow = useMedia(BELOW.tablet);
  if (frameworks.length === 0) return null;
  return (
    <Card id="profiles" title="Efficiency profiles">
      <p className="dim" style={{ margin: "2px 0 8px" }}>
        The time that a framework adds to the physical limit. The spread is one standard deviation of what a profile
        leaves unexplained; the last figure, the error that the best single{" "}
        <Term of="framework">framework efficiency</Term> for all phases would leave.
      </p>
      {narrow ? (
        <ul className={`bare ruled ${classes.profiles}`} aria-labelledby="profiles">
          {frameworks.map((framework) => (
            <li key={nameOf(framework)}>
              <strong>{nameOf(framework)}</strong>
              <div>{framework.what}</div>
              <div className="dim small">{framework.evidence}</div>
              <div>
                Spread {spreadWords(framework)}; a single efficiency leaves {singleWords(framework)}
              </div>
            </li>
          ))}
        </ul>
      ) : (
        <Table
          aria-labelledby="profiles"
          rows={frameworks}
          keyOf={nameOf}
          columns={[
            { head: "Framework", rowHead: "strong", cell: nameOf },
            { head: "What it says", cell: ({ what }) => what },
            { head: "Evidence", cell: ({ evidence }) => evidence },
            {
              head: "Spread",
              number: true,
              cell: (framework) => (
                <span title={`deviation of ln(time): ${framework.error_log_deviation}`}>{spreadWords(framework)}</span>
              ),
            },
            { head: "Single efficiency leaves", number: true, cell: singleWords },
          ]}
        />
      )}
    </Card>
  );
}

function nameOf({ name, version }: FrameworkAnswer): string {
  return version === "" ? name : `${name} ${version}`;
}

/** Format the factors by which one standard deviation changes the time, down and up. */
function spreadWords({ error_log_deviation: deviation, faster_log_deviation: faster }: FrameworkAnswer): string {
  if (deviation === 0) return "none";
  return `−${percent(-Math.expm1(-(faster ?? deviation)))} to +${percent(Math.expm1(deviation))}`;
}

function singleWords({ best_single_efficiency_leaves_pct: leaves }: FrameworkAnswer): string {
  return leaves === null ? "—" : sizeWords(leaves);
}
