import { Button, Checkbox, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import type { Judgement, Metric } from "@/api/measurements/measurements";
import type { Upload } from "@/api/measurements/uploads";
import classes from "@/features/measurements/Measurements.module.css";
import { MetricsTable } from "@/features/measurements/MetricsTable";
import { AgainstPublished, MeasureAgain, Reasons, VerdictMark } from "@/features/measurements/VerdictMark";
import { measuredWords, metricTitle, targetWords } from "@/lib/measured";
import { counted, duration, moment } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { linkToMeasurement } from "@/ui/links/objects";
import { Scroller } from "@/ui/table/Scroller";
import { groupDraft, headline, isKept, type Judgements, type Said, targetFor } from "./review";
import { TargetForm } from "./TargetForm";
import { type DraftProblems, draftOf, type HostGroup, type Placed, placedIn, targetOf, withoutEmpty } from "./target";

interface ReadingsTableProps {
  upload: Upload;
  groupOf: ReadonlyMap<string, HostGroup>;
  judged: Judgements;
  /** Messages of the service about the target of a reading. */
  refused: ReadonlyMap<string, DraftProblems>;
  /** True once the user has tried to store: only then are empty fields errors. */
  asked: boolean;
  said: Said;
  onSaid: (change: (said: Said) => Said) => void;
}

const AT_FIRST = 10;

/** Measurements of a file with figures, verdict and a checkbox. */
export function ReadingsTable(props: ReadingsTableProps) {
  const { upload } = props;
  const [all, setAll] = useState(false);
  const placed = placedIn([upload]);
  const shown = all ? placed : placed.slice(0, AT_FIRST);
  const id = `file-${upload.id}`;
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id} className={`title ${classes.fileName}`}>
        {upload.name}
      </h2>
      {placed.length === 0 ? (
        <p className="lead">Nothing in it was understood as a measurement.</p>
      ) : (
        <ul className={`bare ruled ${classes.readings}`} aria-labelledby={id}>
          {shown.map((one) => (
            <Reading key={one.key} placed={one} {...props} />
          ))}
        </ul>
      )}
      {shown.length < placed.length && (
        <Button variant="default" size="compact-sm" mt="xs" onClick={() => setAll(true)}>
          Show all {placed.length}
        </Button>
      )}
      <Problems upload={upload} />
    </section>
  );
}

function Problems({ upload: { problems } }: { upload: Upload }) {
  if (problems.length === 0) return null;
  return (
    <Disclosure summary={`${counted(problems.length, "line was", "lines were")} not understood`}>
      {() => (
        <Scroller aria-label="Lines that were not understood">
          <ul className="bare lines">
            {problems.map(({ member, line, message }) => (
              <li key={`${member} ${line} ${message}`}>
                <span className="dim">
                  {member === "" ? "" : `${member}, `}line {line}:
                </span>{" "}
                {message}
              </li>
            ))}
          </ul>
        </Scroller>
      )}
    </Disclosure>
  );
}

type ReadingProps = ReadingsTableProps & { placed: Placed };

function Reading({ placed, groupOf, judged, refused, asked, said, onSaid }: ReadingProps) {
  const { reading, key } = placed;
  const { known, status, failure, name, tool, tool_version, metrics, started_at, duration_s, member } = reading;
  const target = targetFor(placed, groupOf.get(key), said);
  const kept = isKept(placed, said, judged);
  const facts = [
    tool_version ?? tool,
    ...(member === "" ? [] : [member]),
    ...(duration_s === null ? [] : [duration(duration_s)]),
    ...(started_at === null ? [] : [moment(started_at)]),
  ];
  return (
    <li data-off={!kept || undefined}>
      <div className={classes.readingHead}>
        <Checkbox
          checked={kept}
          disabled={known !== null}
          label={<span className={classes.readingName}>{name}</span>}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            onSaid((now) => ({ ...now, keep: { ...now.keep, [key]: checked } }));
          }}
        />
        <div className="dim small">{facts.join(" · ")}</div>
        {target !== null && known === null && status !== "failed" && (
          <div className="dim small">{targetWords(target)}</div>
        )}
      </div>
      <div className={classes.figures}>
        {status === "failed" ? (
          <span className="bad wraps">The run failed: {failure}</span>
        ) : (
          headline(metrics).map((metric) => <HeadlineFigure key={metric.name} metric={metric} />)
        )}
        {status === "partial" && <span className="bad wraps">Only part of it is there: {failure}</span>}
      </div>
      <div>
        {known !== null ? (
          <>Here already: {linkToMeasurement(known, "the measurement")}</>
        ) : (
          status !== "failed" && (
            <Verdict
              judgement={judged.get(key) ?? null}
              kept={kept}
              wrong={refused.has(key)}
              instance={target?.instance ?? null}
            />
          )
        )}
      </div>
      <div className={classes.readingMore}>
        {metrics.length > 0 && (
          <Disclosure summary={`All ${counted(metrics.length, "figure")} and settings`}>
            {() => <MetricsTable metrics={metrics} settings={reading.settings} notes={reading.notes} />}
          </Disclosure>
        )}
        {known === null && status !== "failed" && (
          <OwnTarget
            placed={placed}
            group={groupOf.get(key)}
            refused={refused.get(key)}
            asked={asked}
            said={said}
            onSaid={onSaid}
          />
        )}
      </div>
    </li>
  );
}

interface VerdictProps {
  judgement: Judgement | null;
  kept: boolean;
  /** True if the details are invalid. */
  wrong: boolean;
  instance: string | null;
}

/** Verdict with the gap to the published figure, and what it means for keeping the reading. */
function Verdict({ judgement, kept, wrong, instance }: VerdictProps) {
  if (judgement === null) {
    return (
      <span className={wrong ? "bad" : "dim"}>
        {wrong ? "Correct the marked field to validate." : "Add instance details to validate."}
      </span>
    );
  }
  const { verdict, reasons } = judgement;
  return (
    <>
      <VerdictMark verdict={verdict} />
      <AgainstPublished reasons={reasons} />
      {verdict === "rejected" && (
        <p className={`small ${classes.ifKept}`}>
          {kept ? "Kept for the record only: no figure and no plan uses it." : "Not kept unless you tick it."}
        </p>
      )}
      <Reasons reasons={reasons} />
      <MeasureAgain reasons={reasons} instance={instance} />
    </>
  );
}

/** A figure in our unit; hovering shows the tool's output. */
function HeadlineFigure({ metric: { name, value, unit, what, told } }: { metric: Metric }) {
  return (
    <span className={classes.figure} title={`${told.name}: ${told.text} ${told.unit}`}>
      <strong>{measuredWords(name, value, unit)}</strong> <span className="dim small">{metricTitle(what, name)}</span>
    </span>
  );
}

type OwnTargetProps = Pick<ReadingsTableProps, "asked" | "said" | "onSaid"> & {
  placed: Placed;
  group: HostGroup | undefined;
  refused: DraftProblems | undefined;
};

/** Gives a reading a target of its own. */
function OwnTarget({ placed, group, refused, asked, said, onSaid }: OwnTargetProps) {
  const { key, reading } = placed;
  const own = said.own[key];
  if (own === undefined) {
    return (
      <UnstyledButton
        className="pick"
        onClick={() => {
          const from = group === undefined ? draftOf(reading.guess) : groupDraft(group, said);
          onSaid((now) => ({ ...now, own: { ...now.own, [key]: from } }));
        }}
      >
        Measured on something else
      </UnstyledButton>
    );
  }
  const { problems } = targetOf(own, reading.needs);
  return (
    <div className={classes.own}>
      <TargetForm
        label={`What ${reading.name} was measured on`}
        draft={own}
        needs={reading.needs}
        guess={reading.guess}
        problems={{ ...refused, ...(asked ? problems : withoutEmpty(problems, own)) }}
        onChange={(change) =>
          onSaid((now) => ({ ...now, own: { ...now.own, [key]: { ...(now.own[key] ?? own), ...change } } }))
        }
      />
      <UnstyledButton className="pick" onClick={() => onSaid((now) => ({ ...now, own: without(now.own, key) }))}>
        Use the details of the others
      </UnstyledButton>
    </div>
  );
}

function without<Value>(all: Readonly<Record<string, Value>>, key: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== key));
}
