import { Button, CloseButton, Drawer, Skeleton, Stack } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import type { FigureAnswer, RankedAnswer } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { resourceKind, resourceName } from "@/lib/resources";
import { chance, day, duration, threeDigits, usd, usdRange } from "@/lib/wording";
import { Notice } from "@/ui/Notice";
import { ProblemNotice } from "@/ui/ProblemNotice";
import { ResourceMark, resourceColour } from "@/ui/ResourceMark";
import { Value } from "@/ui/Value";
import classes from "./Details.module.css";
import { lossWords } from "./loss";
import { type Chosen, clusterName } from "./useChosen";

type Configuration = Omit<RankedAnswer, "rank">;

interface DetailsPanelProps {
  chosen: Chosen;
  /** Beside the answer where there is room; else over it. */
  docked: boolean;
  onClose: () => void;
}

/** The details of what was picked; Escape closes them. */
export function DetailsPanel({ chosen, docked, onClose }: DetailsPanelProps) {
  useFocusBack();
  const title = chosen.cluster ? clusterName(chosen.cluster) : "Details";
  if (docked) {
    return (
      <Docked title={title} onClose={onClose}>
        <Content chosen={chosen} onClose={onClose} />
      </Docked>
    );
  }
  return (
    <Drawer.Root opened onClose={onClose} position="right" size="min(480px, 100%)" transitionProps={{ duration: 120 }}>
      <Drawer.Overlay backgroundOpacity={0.4} />
      <Drawer.Content className={classes.drawer}>
        {/* Not Drawer.Header, which would be a second banner landmark. */}
        <div className={`${classes.head} ${classes.drawerHead}`}>
          <Drawer.Title className={classes.title}>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close details" />
        </div>
        <Drawer.Body>
          <Content chosen={chosen} onClose={onClose} />
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** When the details close, the keyboard goes on where it was. */
function useFocusBack(): void {
  // Before the effects that move the focus into the details.
  useLayoutEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
}

function Docked({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useHotkeys([["Escape", onClose]], []);
  useEffect(() => {
    // What was picked is announced and read next; the page behind does not move.
    if (title !== "") heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <aside className={`card ${classes.docked}`} aria-label="Details">
      <div className={classes.head}>
        <h2 ref={heading} tabIndex={-1} className={classes.title}>
          {title}
        </h2>
        <CloseButton aria-label="Close details" onClick={onClose} />
      </div>
      {children}
    </aside>
  );
}

function Content({ chosen, onClose }: { chosen: Chosen; onClose: () => void }) {
  const configuration = chosen.row ?? chosen.prediction;
  const back = (
    <Button variant="default" size="compact-sm" mt="xs" onClick={onClose}>
      Back to the ranking
    </Button>
  );
  if (configuration !== undefined) {
    return (
      <Stack gap="lg">
        <p className={classes.sentence}>
          {chosen.prediction?.sentence ?? `Number ${chosen.row?.rank} of the ranking: ${configuration.storage_words}.`}
        </p>
        <Time configuration={configuration} />
        <Money configuration={configuration} />
        <Certainty configuration={configuration} />
        <Provenance figures={configuration.provenance} />
      </Stack>
    );
  }
  if (chosen.infeasible !== undefined) {
    return (
      <Notice tone="warn" title="This cluster cannot do the job.">
        <p style={{ margin: "2px 0 0" }}>
          {chosen.infeasible.reason}.{chosen.infeasible.nearest !== null && ` Nearest: ${chosen.infeasible.nearest}.`}
        </p>
        {back}
      </Notice>
    );
  }
  if (chosen.error instanceof ApiProblem && chosen.error.status === 422) {
    return (
      <Notice tone="warn" title="This cluster does not fit the question.">
        {chosen.error.fields.map((field) => (
          <p key={field.path} style={{ margin: "2px 0 0" }}>
            {field.path}: {field.message}
          </p>
        ))}
        {back}
      </Notice>
    );
  }
  if (chosen.error !== null && chosen.error !== undefined) {
    return <ProblemNotice error={chosen.error} kept="The ranking is still there." onRetry={chosen.retry} />;
  }
  if (chosen.loading) {
    return (
      <Stack gap="sm" role="status" aria-label="Predicting this cluster">
        <Skeleton height={40} />
        <Skeleton height={120} />
        <Skeleton height={80} />
      </Stack>
    );
  }
  return (
    <Notice tone="warn" title="The address names no cluster.">
      {back}
    </Notice>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className={classes.part}>{title}</h3>
      {children}
    </section>
  );
}

function Time({ configuration }: { configuration: Configuration }) {
  return (
    <Part title="Time">
      {configuration.phases.map((phase) => (
        <div key={phase.name} className={classes.phase}>
          <div className={classes.line}>
            <strong>{phase.name}</strong>
            <Value text={duration(phase.time_s)} exact={phase.time_s} unit="s" />
          </div>
          <div className="dim">
            <ResourceMark kind={resourceKind(phase.bottleneck)} />
            limited by {resourceName(phase.bottleneck)}
          </div>
          <ul className={classes.uses}>
            {Object.entries(phase.utilization).map(([resource, share]) => (
              <li key={resource}>
                <span>{resource}</span>
                <span className={classes.track} aria-hidden="true">
                  <span
                    className="resource"
                    data-resource={resourceKind(resource)}
                    style={{ ...resourceColour(resourceKind(resource)), width: `${100 * share}%` }}
                  />
                </span>
                <Value text={percent(share)} exact={100 * share} unit="%" />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Part>
  );
}

function percent(share: number): string {
  return share === 0 ? "0%" : `${threeDigits(100 * share)}%`;
}

function Money({ configuration }: { configuration: Configuration }) {
  const { cost_parts_usd: parts, cost_usd: cost, cost_per_month_usd: month } = configuration;
  const named: [string, number][] = [
    ["Instances while the job runs", parts.instances],
    ["Launch, set-up, minimum", parts.launch],
    ["EBS link", parts.ebs_link],
    ["EBS volumes", parts.ebs_volumes],
  ];
  return (
    <Part title="Money">
      <dl className={classes.figures}>
        {named
          .filter(([, amount]) => amount > 0)
          .map(([name, amount]) => (
            <Entry key={name} name={name}>
              <Value text={usd(amount)} exact={amount} unit="USD" />
            </Entry>
          ))}
        <Entry name="One run">
          <strong>
            <Value text={usd(cost.p50)} exact={cost.p50} unit="USD" />
          </strong>{" "}
          <span className="dim">{usdRange(cost)}</span>
        </Entry>
        <Entry name={`A month of ${threeDigits(month.p50 / cost.p50)} ${month.p50 === cost.p50 ? "run" : "runs"}`}>
          <Value text={usd(month.p50)} exact={month.p50} unit="USD" /> <span className="dim">{usdRange(month)}</span>
        </Entry>
        <Entry name="Billed for">
          <Value text={duration(configuration.billed_s)} exact={configuration.billed_s} unit="s" />
        </Entry>
      </dl>
    </Part>
  );
}

function Entry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.entry}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Certainty({ configuration }: { configuration: Configuration }) {
  const { time_s: time, cost_usd: cost } = configuration;
  const widest = Math.max(...configuration.range_sources.map((source) => source.log_deviation));
  return (
    <Part title="Certainty">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">
              <span className="spoken">Quantity</span>
            </th>
            <th scope="col" className="number">
              p10
            </th>
            <th scope="col" className="number">
              p50
            </th>
            <th scope="col" className="number">
              p90
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Time</th>
            {[time.p10, time.p50, time.p90].map((value, index) => (
              <td key={["p10", "p50", "p90"][index]} className="number">
                <Value text={duration(value)} exact={value} unit="s" />
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">Cost</th>
            {[cost.p10, cost.p50, cost.p90].map((value, index) => (
              <td key={["p10", "p50", "p90"][index]} className="number">
                <Value text={usd(value)} exact={value} unit="USD" />
              </td>
            ))}
          </tr>
        </tbody>
      </table>
      <ul className={classes.plainList}>
        {configuration.meets_deadline !== null && (
          <li>chance to meet the deadline: {chance(configuration.meets_deadline)}</li>
        )}
        {configuration.meets_budget !== null && (
          <li>chance to keep to the budget: {chance(configuration.meets_budget)}</li>
        )}
        <li>{lossWords(configuration)}</li>
      </ul>
      {configuration.range_sources.length > 0 && (
        <>
          <p className={classes.lead}>What makes the range wide (standard deviation of the time):</p>
          <ul className={classes.uses}>
            {configuration.range_sources.map((source) => (
              <li key={source.name}>
                <span>{source.name}</span>
                <span className={classes.track} aria-hidden="true">
                  <span
                    className={classes.width}
                    style={{ width: widest > 0 ? `${(100 * source.log_deviation) / widest}%` : 0 }}
                  />
                </span>
                <span title={`standard deviation of ln(time): ${source.log_deviation}`}>
                  ± {percent(Math.expm1(source.log_deviation))}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  );
}

function Provenance({ figures }: { figures: FigureAnswer[] }) {
  return (
    <Part title="Provenance">
      <p className={classes.lead}>Every figure that went into this prediction.</p>
      <ul className={classes.sources}>
        {figures.map((figure) => (
          <li key={`${figure.quantity} ${figure.source}`}>
            <div className={classes.line}>
              <code className={classes.quantity}>{figure.quantity}</code>
              <span className={classes.value} data-kind={figure.kind}>
                <Value text={figureText(figure)} exact={figure.value} unit={figure.unit} />
              </span>
            </div>
            <div className="dim small">
              <span className={classes.kind} data-kind={figure.kind}>
                {figure.kind}
              </span>
              {figure.as_of !== null && <>, {day(figure.as_of)}</>}. {figure.source}
            </div>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function figureText({ value, unit }: FigureAnswer): string {
  return unit === "1" ? threeDigits(value) : `${threeDigits(value)} ${unit}`;
}
