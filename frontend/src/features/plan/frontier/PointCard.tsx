import { Button, Group } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useMemo, useState } from "react";
import type { CandidateAnswer, CurveAnswer, PlanAnswer } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import type { PointCard } from "@/charts/Chart";
import { clusterKey, storageWords } from "@/features/plan/address/cluster";
import { infeasibleWords } from "@/features/plan/configurations/ahead";
import { longestPhase } from "@/features/plan/configurations/longest";
import type { Money } from "@/features/plan/configurations/money";
import { type Configuration, type Named, useConfigurations } from "@/features/plan/configurations/useConfigurations";
import { PinButton } from "@/features/plan/pins/PinButton";
import { resourceKind, resourceName } from "@/lib/resources";
import { duration, durationRange, usd, usdRange } from "@/lib/wording";
import { PriceNote } from "@/ui/values/PriceTerms";
import { ResourceMark } from "@/ui/values/ResourceMark";
import { Risk } from "@/ui/values/Risk";
import classes from "./PointCard.module.css";

/** Points off the ranking are predicted once the cursor rests on them [ms]. */
const REST_MS = 250;

interface PointCardProps {
  answer: PlanAnswer;
  /** The answered document, with its catalog. */
  document: WorkloadDocument;
  /** The drawn curves, which need not be those of the answer. */
  curves: readonly CurveAnswer[];
  money: Money;
  /** Opens a configuration; undefined without controls. */
  onPick: ((key: string) => void) | undefined;
}

/**
 * Build the card of the point at the cursor: time, cost, risk, bottleneck, and a button to pin it. A configuration that
 * is not ranked is predicted first.
 */
export function usePointCard({ answer, document, curves, money, onPick }: PointCardProps) {
  const [key, onCursor] = useState<string | null>(null);
  const [rested] = useDebouncedValue(key, REST_MS);
  const ranked = answer.configurations.some((row) => clusterKey(row) === key);
  const silent = !useMay("plans.ask");
  const asked = key !== null && (ranked || rested === key) ? [key] : [];
  const [named] = useConfigurations(answer, document, asked, { silent });
  const known = useMemo(() => candidates(answer, curves), [answer, curves]);
  if (key === null) return { card: undefined, onCursor };
  const { configuration } = named ?? {};
  const content = (
    <Content
      id={key}
      storage={configuration?.storage_words ?? storageOf(known.get(key))}
      point={known.get(key)}
      named={named}
      money={money}
      onPick={onPick}
    />
  );
  const ranges =
    configuration === undefined ? {} : { across: ends(configuration.time_s), up: ends(money.range(configuration)) };
  const card: PointCard = { key, content, ...ranges };
  return { card, onCursor };
}

function ends({ p10, p90 }: { p10: number; p90: number }): { low: number; high: number } {
  return { low: p10, high: p90 };
}

/** Return the candidates that the chart shows, by their key. */
function candidates({ frontier }: PlanAnswer, curves: readonly CurveAnswer[]): Map<string, CandidateAnswer> {
  const points = [...curves.flatMap((curve) => curve.points), ...frontier];
  return new Map(points.map((point) => [clusterKey(point), point]));
}

function storageOf(point: CandidateAnswer | undefined): string | undefined {
  return point && storageWords(point.storage);
}

interface ContentProps {
  id: string;
  storage: string | undefined;
  point: CandidateAnswer | undefined;
  /** Undefined until the cursor rests. */
  named: Named | undefined;
  money: Money;
  /** Opens a configuration; undefined without controls. */
  onPick: ((key: string) => void) | undefined;
}

function Content({ id, storage, point, named, money, onPick }: ContentProps) {
  const { configuration, infeasible } = named ?? {};
  const name = named?.name ?? (point === undefined ? id : `${point.nodes} × ${point.instance}`);
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap={8} align="flex-start">
        <div>
          <strong>{name}</strong>
          {storage !== undefined && <div className="dim">{storage}</div>}
        </div>
        {onPick !== undefined && (
          <PinButton configuration={id} name={`${name}${storage === undefined ? "" : `, ${storage}`}, in the chart`} />
        )}
      </Group>
      <dl className={classes.figures}>
        {configuration === undefined ? (
          <Candidate point={point} money={money} waits={named === undefined || named.loading} />
        ) : (
          <Predicted configuration={configuration} money={money} />
        )}
      </dl>
      {infeasible !== undefined && <p className="bare">{infeasibleWords(infeasible)}</p>}
      {onPick !== undefined && (
        <Button variant="subtle" size="compact-xs" className={classes.details} onClick={() => onPick(id)}>
          Details
        </Button>
      )}
    </>
  );
}

function Candidate({ point, money, waits }: { point: CandidateAnswer | undefined; money: Money; waits: boolean }) {
  if (point === undefined) return null;
  return (
    <>
      <Entry name="Time">{duration(point.time_s)}</Entry>
      <Entry name={<CostName money={money} />}>{usd(money.at(point))}</Entry>
      {waits && <Entry name="Risk, bottleneck">being predicted</Entry>}
    </>
  );
}

function Predicted({ configuration, money }: { configuration: Configuration; money: Money }) {
  const { time_s, meets_deadline } = configuration;
  const cost = money.range(configuration);
  const phase = longestPhase(configuration);
  return (
    <>
      <Entry name="Time">
        {duration(time_s.p50)} <span className="dim">{durationRange(time_s)}</span>
      </Entry>
      <Entry name={<CostName money={money} />}>
        {usd(cost.p50)} {money.of === "run" && <span className="dim">{usdRange(cost)}</span>}
      </Entry>
      <Entry name="Risk of missing the deadline">
        {meets_deadline === null ? "no deadline" : <Risk met={meets_deadline} />}
      </Entry>
      {phase !== undefined && (
        <Entry name="Bottleneck">
          <ResourceMark kind={resourceKind(phase.bottleneck)} />
          {resourceName(phase.bottleneck)} ({phase.name})
        </Entry>
      )}
    </>
  );
}

function CostName({ money }: { money: Money }) {
  return (
    <>
      {money.head}
      <PriceNote />
    </>
  );
}

function Entry({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt className="dim">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
