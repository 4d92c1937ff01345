import { useId, useState } from "react";
import type { Report, Section } from "@/api/generated";
import type { Composed } from "@/api/reports";
import { originWords } from "@/features/reports/words";
import { moment } from "@/lib/wording";
import { Said } from "./AmountMark";
import { BlockView } from "./Blocks";
import classes from "./Document.module.css";
import { Plain } from "./Plain";

interface ReportDocumentProps {
  composed: Pick<Composed, "report" | "drawings">;
  /** 1 if the report is the page, 2 in a preview. */
  level: 1 | 2;
}

/** A report, from its title to its versions. */
export function ReportDocument({ composed: { report, drawings }, level }: ReportDocumentProps) {
  const Title = `h${level}` as const;
  return (
    <article className={`card ${classes.document}`} aria-label="Report">
      {/* Not a `header`: print styles hide headers, since the bar of the page is one. */}
      <div className={classes.head}>
        <Title className={classes.title}>
          <Plain text={report.title} />
        </Title>
        <p className={`headline ${classes.sentence}`} data-testid="sentence">
          <Plain text={report.sentence} />
        </p>
        <p className={classes.by}>
          <Plain text={report.author} />, <Plain text={report.team} /> · {moment(report.made_at)} ·{" "}
          <Plain text={originWords(report.origin)} />
        </p>
        {report.words !== "" && (
          <p className={classes.author}>
            <Plain text={report.words} />
          </p>
        )}
      </div>
      {report.sections.map((section) => (
        <SectionView key={section.key} section={section} report={report} drawings={drawings} level={level} />
      ))}
      <Versions report={report} />
    </article>
  );
}

interface SectionViewProps {
  section: Section;
  report: Report;
  drawings: Composed["drawings"];
  level: 1 | 2;
}

function SectionView({ section, report, drawings, level }: SectionViewProps) {
  const Heading = level === 1 ? "h2" : "h3";
  const id = useId();
  // Charts are always shown; long tables are collapsed.
  const [open, setOpen] = useState(() => section.blocks.some((block) => block.kind === "chart"));
  const blocks = section.blocks.map((block, index) => (
    <BlockView
      // Blocks have no keys, and a report never changes.
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      key={index}
      block={block}
      drawings={block.kind === "chart" ? drawings[`${section.key}.${block.key}`] : undefined}
      kind={report.origin.kind}
    />
  ));
  if (!section.detail) {
    return (
      <section className={classes.section} aria-labelledby={id}>
        <Heading id={id} className={classes.heading}>
          <Plain text={section.heading} />
        </Heading>
        {blocks}
      </section>
    );
  }
  // Collapsed on screen only. A `details` element would stay closed in print.
  return (
    <section className={classes.section} aria-labelledby={id}>
      <Heading className={classes.heading}>
        <button
          type="button"
          id={id}
          className="fold"
          aria-expanded={open}
          aria-controls={`${id}-blocks`}
          onClick={() => setOpen(!open)}
        >
          <Plain text={section.heading} />
        </button>
      </Heading>
      <div id={`${id}-blocks`} className={classes.folded} data-open={open || undefined}>
        {blocks}
      </div>
    </section>
  );
}

/** Versions with which the report was computed. */
function Versions({ report: { versions } }: { report: Report }) {
  if (versions.length === 0) return null;
  return (
    <footer className={classes.versions}>
      <dl>
        {versions.map(({ key, label, value }) => (
          <div key={key}>
            <dt>
              <Plain text={label} />
            </dt>{" "}
            <dd>
              <Said what={value} label={label} />
            </dd>
          </div>
        ))}
      </dl>
    </footer>
  );
}
