import { Button, NativeSelect, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { regionNames } from "@/api/catalog/catalogs";
import type { PlanAnswer } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import type { WorkloadDocument } from "@/api/queries";
import { clusterKey, clusterName } from "@/features/plan/address/cluster";
import { ClusterFields } from "@/features/plan/baseline/ClusterFields";
import { type Today, todayFrom, todayKey } from "@/features/plan/baseline/today";
import { comparisonWords, type Known, phasePairs, refusalWords } from "@/features/plan/configurations/ahead";
import { factorWords } from "@/features/plan/configurations/difference";
import type { Configuration, Named } from "@/features/plan/configurations/useConfigurations";
import { regionIn } from "@/features/plan/workload/place";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { submits } from "@/ui/forms/submits";
import { Table } from "@/ui/table/Table";
import classes from "./Details.module.css";
import { Overturns, PhaseTime, WhyItLost } from "./Explained";
import { type Explained, useExplanation } from "./useExplanation";

export interface WhyNotProps {
  answer: PlanAnswer;
  /** The answered document, with its catalog. */
  document: WorkloadDocument;
  chosen: Known;
  /** Explanation of why the selected configuration wins or loses. */
  explained: Explained;
  others: { pins: Named[]; today: Named | undefined; why: Named | undefined };
  onWhy: (key: string | undefined) => void;
}

/** Explanation of the rank of the selected configuration, and its comparison with any other. */
export function WhyNot({ answer, document, chosen, explained, others, onWhy }: WhyNotProps) {
  const groups = offered(answer, chosen, others);
  return (
    <>
      <WhyItLost explained={explained} name={chosen.name} />
      <NativeSelect
        className="no-print"
        label="Why not …?"
        value={others.why?.asked ?? ""}
        onChange={(event) => onWhy(event.currentTarget.value === "" ? undefined : event.currentTarget.value)}
        data={[{ value: "", label: "Choose a configuration" }, ...groups]}
      />
      <AnyCluster chosen={chosen} answer={answer} onWhy={onWhy} />
      <div aria-live="polite">
        {others.why !== undefined && <Verdict answer={answer} document={document} chosen={chosen} other={others.why} />}
      </div>
    </>
  );
}

/** Return the options to compare with: the ranking, the pins, the current cluster, and the one entered freely. */
function offered(answer: PlanAnswer, chosen: Known, { pins, today, why }: WhyNotProps["others"]) {
  const taken = new Set([chosen.key]);
  const unique = (options: { value: string; label: string }[]) =>
    options.filter(({ value }) => !taken.has(value) && taken.add(value) !== undefined);
  const option = (named: Named, prefix = "") => ({
    value: named.asked,
    label: `${prefix}${named.name}${named.configuration === undefined ? "" : `, ${named.configuration.storage_words}`}`,
  });
  const groups = [
    {
      group: "Ranked",
      items: unique(
        answer.configurations.map((row) => ({
          value: clusterKey(row),
          label: `${row.rank}. ${clusterName(row)}, ${row.storage_words}`,
        })),
      ),
    },
    { group: "Pinned", items: unique(pins.map((pin, index) => option(pin, `${index + 1}: `))) },
    { group: "Today", items: unique(today === undefined ? [] : [option(today)]) },
    { group: "Named here", items: unique(why === undefined ? [] : [option(why)]) },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

interface AnyClusterProps {
  chosen: Known;
  answer: PlanAnswer;
  onWhy: (key: string) => void;
}

/** Form for any type of the catalog, with any number of nodes and any storage. */
function AnyCluster({ chosen, answer, onWhy }: AnyClusterProps) {
  const region = regionIn(answer.workload);
  const types = useQuery(regionNames(answer.catalog_version, region)).data?.instance_types ?? [];
  const { configuration } = chosen;
  const [fields, setFields] = useState<Today>(() => alike(configuration));
  const wanted = { ...fields, instance: fields.instance.trim().toLowerCase() };
  const { key, errors } = todayKey(wanted);
  const isKnown = types.length === 0 || types.includes(wanted.instance);
  const unsold = wanted.instance === "" || isKnown ? {} : { instance: `Not sold in ${region}` };
  return (
    <form
      className="no-print"
      aria-label="Any other"
      onSubmit={submits(() => {
        if (isKnown && key !== undefined) onWhy(key);
      })}
    >
      <Stack gap={8} align="flex-start">
        <ClusterFields
          fields={fields}
          errors={{ ...errors, ...unsold }}
          types={types}
          labels={{ instance: "Any type", nodes: "Nodes" }}
          onChange={(field, text) => setFields((before) => ({ ...before, [field]: text }))}
        />
        <Button type="submit" variant="default" size="xs">
          Compare
        </Button>
      </Stack>
    </form>
  );
}

/** Copy the nodes and the storage of the selected configuration; own disks use the best division of each type. */
function alike(configuration: Configuration): Today {
  const today = todayFrom(clusterKey(configuration));
  return { ...today, instance: "", storage: today.storage === "divided" ? "own" : today.storage };
}

interface VerdictProps extends Pick<WhyNotProps, "answer" | "document" | "chosen"> {
  other: Named;
}

/** Check if the API explains the difference to the winner; it does so only within one question. */
function isHeldAgainstWinner(chosen: Known, other: Named): boolean {
  const alike = other.differs.join() === chosen.differs.join();
  return alike && (chosen.rank === 1 || other.infeasible !== undefined);
}

function Verdict({ answer, document, chosen, other }: VerdictProps) {
  const { configuration } = other;
  const isOther = other.key !== chosen.key;
  const against = isOther && isHeldAgainstWinner(chosen, other);
  const explained = useExplanation(document, configuration ?? other.cluster, against && !other.loading);
  if (!isOther) return <p>This is the chosen one itself.</p>;
  if (configuration !== undefined) {
    const known = { ...other, configuration };
    if (against && explained.error === null) return <WhyItLost explained={explained} name={other.name} />;
    return (
      <>
        <Sentences sentences={comparisonWords(chosen, known, answer)} />
        <PhaseTable chosen={chosen} other={known} />
      </>
    );
  }
  if (other.infeasible !== undefined) {
    return (
      <>
        <Sentences sentences={refusalWords(other, answer)} />
        <Overturns figures={explained.explanation?.overturn ?? []} />
      </>
    );
  }
  if (other.error instanceof ApiProblem && other.error.status === 422) {
    return <Sentences sentences={other.error.fields.map(({ message }) => `${message}.`)} />;
  }
  if (other.error !== null && other.error !== undefined) {
    return <ProblemNotice error={other.error} kept="The rest is still there." onRetry={other.retry} />;
  }
  return <Skeleton height={120} aria-label="Predicting the other" />;
}

function Sentences({ sentences }: { sentences: string[] }) {
  return (
    <div data-testid="why-not">
      {sentences.map((sentence) => (
        <p key={sentence} className="line">
          {sentence}
        </p>
      ))}
    </div>
  );
}

function PhaseTable({ chosen, other }: { chosen: Known; other: Known }) {
  return (
    <Table
      className={`plain ${classes.pairs}`}
      caption={`Phases of ${chosen.name} and of ${other.name}`}
      rows={phasePairs(chosen.configuration, other.configuration)}
      keyOf={({ name }) => name}
      columns={[
        { head: "Phase", rowHead: true, cell: ({ name }) => name },
        { head: chosen.name, number: true, cell: (pair) => <PhaseTime {...pair.chosen} /> },
        { head: other.name, number: true, cell: (pair) => <PhaseTime {...pair.other} /> },
        { head: "Factor", number: true, cell: (pair) => factorWords(pair.other.time_s, pair.chosen.time_s) },
      ]}
    />
  );
}
