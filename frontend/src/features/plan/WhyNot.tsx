import { Button, NativeSelect, Skeleton, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { regionNames } from "@/api/catalogues";
import type { PlanAnswer } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { resourceKind, resourceName } from "@/lib/resources";
import { duration } from "@/lib/wording";
import { ProblemNotice } from "@/ui/ProblemNotice";
import { ResourceMark } from "@/ui/ResourceMark";
import { Value } from "@/ui/Value";
import { comparisonWords, type Known, phasePairs, refusalWords } from "./ahead";
import { clusterFromKey, clusterKey, clusterName, NODES, NODES_WANTED } from "./cluster";
import { factorWords } from "./difference";
import { regionIn } from "./place";
import type { Named } from "./useConfigurations";
import classes from "./WhyNot.module.css";

export interface WhyNotProps {
  answer: PlanAnswer;
  chosen: Known;
  others: { pins: Named[]; today: Named | undefined; why: Named | undefined };
  onWhy: (key: string | undefined) => void;
}

/** Holds the chosen configuration against any other, and says why it is ahead. */
export function WhyNot({ answer, chosen, others, onWhy }: WhyNotProps) {
  const groups = offered(answer, chosen, others);
  return (
    <>
      <NativeSelect
        className="no-print"
        label="Why not …?"
        value={others.why?.asked ?? ""}
        onChange={(event) => onWhy(event.currentTarget.value === "" ? undefined : event.currentTarget.value)}
        data={[{ value: "", label: "Choose a configuration" }, ...groups]}
      />
      <AnyType chosen={chosen} answer={answer} onWhy={onWhy} />
      <div aria-live="polite">
        {others.why !== undefined && <Verdict answer={answer} chosen={chosen} other={others.why} />}
      </div>
    </>
  );
}

/** What there is to choose from: the ranking, the pins, today's, and what was named freely. */
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

interface AnyTypeProps {
  chosen: Known;
  answer: PlanAnswer;
  onWhy: (key: string) => void;
}

/** Any type of the catalogue, with as many nodes as one likes. */
function AnyType({ chosen, answer, onWhy }: AnyTypeProps) {
  const region = regionIn(answer.workload);
  const types = useQuery(regionNames(answer.catalogue_version, region)).data?.instance_types ?? [];
  const list = useId();
  const [text, setText] = useState("");
  const instance = text.trim().toLowerCase();
  const isKnown = types.includes(instance);
  const [nodes, setNodes] = useState(String(chosen.configuration.nodes));
  const { storage } = chosen.configuration;
  const key = clusterKey({
    instance,
    nodes: Number(nodes),
    // On own disks each type is divided as is best for it; all else is taken as it is.
    storage: storage.kind === "instance-store" ? { kind: "instance-store" } : storage,
  });
  const whole = NODES.test(nodes.trim());
  return (
    <form
      className={`${classes.any} no-print`}
      aria-label="Any type"
      onSubmit={(event) => {
        event.preventDefault();
        if (whole && isKnown && clusterFromKey(key) !== null) onWhy(key);
      }}
    >
      <TextInput
        label="Any type"
        list={list}
        value={text}
        placeholder={chosen.configuration.instance}
        error={instance === "" || isKnown || types.length === 0 ? undefined : `Not sold in ${region}`}
        onChange={(event) => setText(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id={list}>
        {types.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      <TextInput
        label="Nodes"
        inputMode="numeric"
        value={nodes}
        error={whole ? undefined : NODES_WANTED}
        onChange={(event) => setNodes(event.currentTarget.value)}
        autoComplete="off"
      />
      <Button type="submit" variant="default" size="sm">
        Compare
      </Button>
    </form>
  );
}

function Verdict({ answer, chosen, other }: { answer: PlanAnswer; chosen: Known; other: Named }) {
  const { configuration } = other;
  if (other.key === chosen.key) return <p>This is the chosen one itself.</p>;
  if (configuration !== undefined) {
    const known = { ...other, configuration };
    return (
      <>
        <Sentences sentences={comparisonWords(chosen, known, answer)} />
        <PhaseTable chosen={chosen} other={known} />
      </>
    );
  }
  if (other.infeasible !== undefined) return <Sentences sentences={refusalWords(other, answer)} />;
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
    <div className={classes.sentences} data-testid="why-not">
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}

function PhaseTable({ chosen, other }: { chosen: Known; other: Known }) {
  return (
    <table className={`plain ${classes.phases}`}>
      <caption className="spoken">
        Phases of {chosen.name} and of {other.name}
      </caption>
      <thead>
        <tr>
          <th scope="col">Phase</th>
          <th scope="col" className="number">
            {chosen.name}
          </th>
          <th scope="col" className="number">
            {other.name}
          </th>
          <th scope="col" className="number">
            Factor
          </th>
        </tr>
      </thead>
      <tbody>
        {phasePairs(chosen.configuration, other.configuration).map((pair) => (
          <tr key={pair.name}>
            <th scope="row">{pair.name}</th>
            {[pair.chosen, pair.other].map((phase, index) => (
              <td key={index === 0 ? "chosen" : "other"} className="number">
                <Value text={duration(phase.time_s)} exact={phase.time_s} unit="s" />
                <div className="dim small">
                  <ResourceMark kind={resourceKind(phase.bottleneck)} />
                  {resourceName(phase.bottleneck)}
                </div>
              </td>
            ))}
            <td className="number">{factorWords(pair.other.time_s, pair.chosen.time_s)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
