import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import { counted } from "@/lib/wording";
import { CopyText } from "@/ui/CopyText";
import { Disclosure } from "@/ui/Disclosure";
import { Table } from "@/ui/table/Table";
import type { ExperimentsAnswer, ValidationAnswer } from "./answer";
import classes from "./ValidationPage.module.css";
import { sentenceOf, sizeWords } from "./words";

/** Overall prediction error in a sentence, and the experiments behind it. */
export function Head({ answer, report }: { answer: ValidationAnswer; report: ReactNode }) {
  const { experiments, cases, model_version } = answer;
  const sentence = sentenceOf(experiments);
  const facts = [`${counted(cases.length, "published figure")} compared`, `model ${model_version}`];
  if (experiments.count > 0) facts.unshift(`nine in ten within ${sizeWords(experiments.p90_abs_error_pct)}`);
  return (
    <section className="card" aria-label="In a sentence">
      <p className="headline" data-testid="sentence">
        {sentence}
      </p>
      <p className="dim" style={{ margin: "8px 0 0" }}>
        {facts.join(" · ")}
      </p>
      <Group gap="md" mt="sm">
        <CopyText
          label="Copy sentence"
          done="The sentence is copied, with its sources."
          text={() => `${sentence}\n(Stowage: ${facts.join("; ")}.)`}
        />
        {report}
      </Group>
      {experiments.rows.length > 0 && (
        <Disclosure summary="The experiments">{() => <Experiments experiments={experiments} />}</Disclosure>
      )}
    </section>
  );
}

function Experiments({ experiments }: { experiments: ExperimentsAnswer }) {
  const rows = experiments.rows.toSorted((a, b) => b.median_abs_error_pct - a.median_abs_error_pct);
  return (
    <Table
      className={`plain ${classes.narrowTable}`}
      caption="Experiments, the worst first"
      rows={rows}
      keyOf={({ experiment }) => experiment}
      columns={[
        { head: "Experiment", rowHead: "strong", cell: ({ name }) => name },
        { head: "Figures", number: true, cell: ({ figures }) => figures },
        { head: "Off by, in the median", value: ({ median_abs_error_pct }) => [median_abs_error_pct, sizeWords, "%"] },
      ]}
    />
  );
}
