import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { measuredDifference, profiles, type Reranking } from "@/api/measurements/profiles";
import type { WorkloadDocument } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { differenceWords, measuredWords } from "@/lib/measured";
import { Disclosure } from "@/ui/Disclosure";
import { Notice } from "@/ui/feedback/Notice";
import { Table } from "@/ui/table/Table";
import classes from "./SavedPlanPage.module.css";

interface MeasuredDifferenceProps {
  /** The answered document, with its catalog. */
  document: WorkloadDocument;
  /** Link to the measurements. */
  link: ReactNode;
}

/** Effect of the team's measurements on the answer; empty if there is none. */
export function MeasuredDifference({ document, link }: MeasuredDifferenceProps) {
  const mayRead = useMay("measurements.read");
  const known = useQuery({ ...profiles(), enabled: mayRead });
  const feeds = known.data?.profiles.some((profile) => profile.feeds) === true;
  const { data } = useQuery({ ...measuredDifference(document), enabled: feeds });
  if (data == null) return null;
  return <WhatMeasurementsChanged reranking={data} link={link} />;
}

/** Effect in a sentence, and the figures that caused it. */
export function WhatMeasurementsChanged({ reranking, link }: { reranking: Reranking; link: ReactNode }) {
  const { sentence, changed, differences } = reranking;
  if (!changed && differences.length === 0) return null;
  return (
    <section aria-label="What your measurements changed">
      <Notice tone={changed ? "warn" : "plain"}>
        <div className={classes.difference}>
          <p className="dim line" data-testid="measured">
            <strong>Your measurements:</strong> {sentence}
          </p>
          <div className="no-print">{link}</div>
        </div>
        {differences.length > 0 && (
          <Disclosure summary="Which figures">{() => <Differences differences={differences} />}</Disclosure>
        )}
      </Notice>
    </section>
  );
}

function Differences({ differences }: { differences: Reranking["differences"] }) {
  return (
    <Table
      scrolls="Figures that your measurements replaced"
      rows={differences}
      keyOf={({ target, metric }) => `${target} ${metric}`}
      columns={[
        { head: "Type", cell: ({ target }) => target },
        { head: "Figure", cell: ({ metric }) => metric, note: ({ source }) => source },
        {
          head: "Published",
          number: true,
          cell: ({ metric, published, unit }) => (published === null ? "—" : measuredWords(metric, published, unit)),
        },
        {
          head: "Yours",
          number: true,
          cell: ({ metric, measured, unit }) => measuredWords(metric, measured, unit),
          cellProps: ({ measured, unit }) => ({ title: `${measured} ${unit}` }),
        },
        {
          head: "Yours against it",
          number: true,
          cell: ({ percent }) => (percent === null ? "—" : differenceWords(percent)),
        },
      ]}
    />
  );
}
