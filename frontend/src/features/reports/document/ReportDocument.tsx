import { Stack } from "@mantine/core";
import { type ReactNode, useId } from "react";
import type { Report, Section } from "@/api/generated";
import type { Composed } from "@/api/reports";
import { originWords } from "@/features/reports/words";
import { shown } from "@/lib/plainText";
import { moment } from "@/lib/wording";
import { Said } from "./AmountMark";
import { BlockView } from "./Blocks";
import classes from "./Document.module.css";
import { Fold } from "./Fold";
import { Plain } from "./Plain";

interface ReportDocumentProps {
  composed: Pick<Composed, "report" | "drawings">;
  /** 1 if the report is the page, 2 in a preview. */
  level: 1 | 2;
  /** Approval of a published report. */
  approval?: ReactNode;
  /** Downloads of a published report, which follow the decision. */
  files?: ReactNode;
}

/** A report, from its title to its versions. */
export function ReportDocument({ composed: { report, drawings }, level, approval, files }: ReportDocumentProps) {
  const Title = `h${level}` as const;
  const [first] = report.sections[0]?.blocks ?? [];
  // The decision leads; in reports from before, and those without one, the sentence does.
  const leads = first?.kind === "facts" && first.facts.some(({ key }) => key === "decide_by");
  return (
    <article className={`card ${classes.document}`} aria-label="Report">
      {/* Not a `header`: print styles hide headers, since the bar of the page is one. */}
      <Stack gap={12} className={classes.head}>
        <Title className="title strong dim wraps">
          <Plain text={report.title} />
        </Title>
        <p className={leads ? "line" : `headline ${classes.sentence}`} data-testid="sentence">
          <Plain text={report.sentence} />
        </p>
        <p className="dim small line">
          <Plain text={report.author} />, <Plain text={report.team} /> · {moment(report.made_at)} ·{" "}
          <Plain text={originWords(report.origin)} />
        </p>
        {approval}
        {report.words !== "" && (
          <p className={classes.author}>
            <Plain text={report.words} />
          </p>
        )}
      </Stack>
      {report.sections.map((section, place) => (
        <SectionView
          key={section.key}
          section={section}
          report={report}
          drawings={drawings}
          level={level}
          after={place === 0 && files}
        />
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
  /** Content below the blocks. */
  after: ReactNode;
}

function SectionView({ section, report, drawings, level, after }: SectionViewProps) {
  const Heading = level === 1 ? "h2" : "h3";
  const id = useId();
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
        {after}
      </section>
    );
  }
  return (
    <section className={classes.section} aria-label={shown(section.heading)}>
      <Fold as={Heading} className={classes.heading} heading={<Plain text={section.heading} />}>
        {blocks}
      </Fold>
      {after}
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
