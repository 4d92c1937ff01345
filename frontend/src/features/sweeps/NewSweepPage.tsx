import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useDebouncedValue, useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { catalogs } from "@/api/catalog/catalogs";
import type { FieldProblem } from "@/api/generated";
import { checked, type SweepDocument, start, sweep, sweepsKey } from "@/api/planning/sweeps";
import { ApiProblem } from "@/api/problem";
import { preview, type WorkloadDocument } from "@/api/queries";
import { roughly } from "@/lib/progress";
import { counted } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { submits } from "@/ui/forms/submits";
import { cellDocument } from "./cell";
import classes from "./NewSweepPage.module.css";
import { ALL_QUANTITIES, QUANTITIES, type Quantity, spoken, suggested } from "./quantities";
import {
  type Asked,
  type Axes,
  type AxesSearch,
  type AxisChoice,
  type AxisName,
  axesFrom,
  searchOfAxes,
  sweepDocument,
  sweepRemarks,
} from "./question";

/** Delay after the last keystroke before the values are checked and cells are computed [ms]. */
const SETTLED_MS = 400;

export interface NewSweepPageProps {
  /** Workload common to all cells. */
  base: WorkloadDocument;
  /** Describes the base, one fact per item, without the varied quantities. */
  baseWords: (varied: readonly Quantity[]) => readonly string[];
  search: AxesSearch;
  onSearch: (search: AxesSearch) => void;
  onStarted: (id: string) => void;
  /** Link to the form that changes the base. */
  changeBase: ReactNode;
}

/** Form of a new sweep: one workload, two varied quantities. */
export function NewSweepPage({ base, baseWords, search, onSearch, onStarted, changeBase }: NewSweepPageProps) {
  useDocumentTitle("New sweep · Stowage");
  const client = useQueryClient();
  const known = useQuery(catalogs).data ?? [];
  const [axes, change] = useAxes(search, onSearch);
  const asked = sweepDocument(base, axes, (quantity) => suggested(quantity, known));
  const starting = useMutation({
    mutationFn: (document: SweepDocument) => start(document),
    onSuccess: (started) => {
      client.setQueryData(sweep(started.id).queryKey, started);
      void client.invalidateQueries({ queryKey: [...sweepsKey(), "list"] });
      onStarted(started.id);
    },
  });
  const refused = starting.error instanceof ApiProblem ? starting.error.fields : [];
  const refusedNow = useRefused(asked.document);
  // Messages of the API apply only to the document sent, until the next change.
  const current = JSON.stringify(starting.variables) === JSON.stringify(asked.document);
  const said = sweepRemarks(current && refused.length > 0 ? refused : refusedNow);
  const remarks = { columns: asked.remarks.columns ?? said.columns, rows: asked.remarks.rows ?? said.rows };
  const axis = (name: AxisName, label: string) => (
    <AxisField
      label={label}
      axis={axes[name]}
      suggestion={suggested(axes[name].quantity, known)}
      values={asked.values[name]}
      remark={remarks[name]}
      onChange={(next) => change({ ...axes, [name]: next })}
    />
  );
  return (
    <form
      className="page small-labels"
      style={{ maxWidth: 960 }}
      onSubmit={submits(() => {
        if (asked.document !== null) starting.mutate(asked.document);
      })}
    >
      <h1>New sweep</h1>
      <p className="line">
        One workload, two variables: see which configuration wins in each scenario, and at what cost.
      </p>
      <section className="card" aria-labelledby="sweep-base">
        <Group justify="space-between" align="stretch" gap="8px 16px">
          <h2 id="sweep-base" className="title">
            What holds in every cell
          </h2>
          {changeBase}
        </Group>
        <ul className={`bare ${classes.list}`}>
          {baseWords([axes.columns.quantity, axes.rows.quantity]).map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </section>
      <section className="card" aria-labelledby="sweep-axes">
        <h2 id="sweep-axes" className="title">
          What changes
        </h2>
        <div className={classes.axes}>
          {axis("columns", "From left to right")}
          {axis("rows", "From top to bottom")}
        </div>
      </section>
      <section className="card" aria-label="Start">
        <TextInput
          label="Name (optional)"
          maw={420}
          mb="md"
          maxLength={200}
          autoComplete="off"
          value={axes.called}
          error={said.name}
          onChange={(event) => change({ ...axes, called: event.currentTarget.value })}
        />
        {said.elsewhere.length > 0 && (
          <Notice tone="warn" title="The workload is not accepted.">
            {said.elsewhere.map(({ path, message }) => (
              <p key={`${path} ${message}`} style={{ margin: "4px 0 0" }}>
                {path.replace(/^base\./, "")}
                {path === "" ? "" : ": "}
                {message}
              </p>
            ))}
          </Notice>
        )}
        {starting.error !== null && refused.length === 0 && (
          <ProblemNotice error={starting.error} kept="What you wrote is in the address." />
        )}
        <Group gap="8px 16px">
          <Button
            type="submit"
            disabled={asked.document === null || refusedNow.length > 0}
            loading={starting.isPending}
          >
            Start the sweep
          </Button>
          <Size asked={asked} />
        </Group>
      </section>
    </form>
  );
}

/** Store the axes of the form in the URL, without changing other parameters. */
function useAxes(search: AxesSearch, onSearch: (search: AxesSearch) => void): [Axes, (axes: Axes) => void] {
  const address = axesFrom(search);
  const key = JSON.stringify(address);
  const [form, setForm] = useState({ axes: address, key });
  // The URL changed by other means: back button, link.
  if (key !== form.key && key !== JSON.stringify(axesFrom(searchOfAxes(form.axes)))) setForm({ axes: address, key });
  return [
    form.axes,
    (axes) => {
      setForm({ axes, key });
      onSearch(searchOfAxes(axes));
    },
  ];
}

/** Return what the service refuses of a sweep, a moment after the last keystroke; nothing before that. */
function useRefused(document: SweepDocument | null): readonly FieldProblem[] {
  const written = JSON.stringify(document);
  const [settled] = useDebouncedValue(written, SETTLED_MS);
  const sent = JSON.parse(settled) as SweepDocument | null;
  const [answer] = useQueries({ queries: (sent === null ? [] : [sent]).map((each) => checked(each)) });
  return settled === written && answer?.error instanceof ApiProblem ? answer.error.fields : [];
}

interface AxisFieldProps {
  label: string;
  axis: AxisChoice;
  suggestion: string;
  values: readonly string[];
  remark: string | undefined;
  onChange: (axis: AxisChoice) => void;
}

function AxisField({ label, axis, suggestion, values, remark, onChange }: AxisFieldProps) {
  const id = useId();
  const { quantity, text } = axis;
  return (
    <Stack gap={8} miw={0}>
      <NativeSelect
        label={label}
        value={quantity}
        data={ALL_QUANTITIES.map((value) => ({ value, label: QUANTITIES[value].label }))}
        // The values of one quantity do not apply to another.
        onChange={(event) => onChange({ quantity: event.currentTarget.value as Quantity })}
      />
      <TextInput
        label={`Values of ${QUANTITIES[quantity].in_text}`}
        description={`As in ${QUANTITIES[quantity].hint}`}
        value={text ?? suggestion}
        error={remark}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-values`}
        onChange={(event) => onChange({ quantity, text: event.currentTarget.value })}
      />
      <p className={`dim small wraps ${classes.values}`} id={`${id}-values`}>
        {values.length === 0
          ? "No values yet."
          : `${counted(values.length, "value")}: ${values.map((value) => spoken(quantity, value)).join(" · ")}`}
      </p>
    </Stack>
  );
}

/** Number of cells, and their estimated duration from the average of the first, middle and last cell. */
function Size({ asked: { cells, values, document } }: { asked: Asked }) {
  const [settled] = useDebouncedValue(document, SETTLED_MS);
  const tried = useQueries({ queries: (settled === null ? [] : triedCells(settled)).map((cell) => preview(cell)) });
  const seconds = tried.flatMap(({ data }) => data?.elapsed_s ?? []);
  // Durations of an earlier question do not apply.
  const known = settled === document && seconds.length > 0 && seconds.length === tried.length;
  if (cells === null) return <span className="dim">Give both axes values that can be read.</span>;
  return (
    <span>
      <strong>{counted(cells, "cell")}</strong>{" "}
      <span className="dim">
        ({values.columns.length} × {values.rows.length}){known && estimate(cells, seconds)}
      </span>
    </span>
  );
}

const TRIED = [0, 0.5, 1];

/** Return the workloads of the first, middle and last cell, without duplicates. */
function triedCells({ base, columns, rows }: SweepDocument): WorkloadDocument[] {
  const at = (share: number, count: number) => Math.round(share * (count - 1));
  const places = TRIED.map((share) => ({
    column: at(share, columns.values.length),
    row: at(share, rows.values.length),
  }));
  const cells = places.map((place) => cellDocument({ base, columns, rows, catalog_version: "" }, place));
  return [...new Map(cells.map((cell) => [JSON.stringify(cell), cell])).values()];
}

function estimate(cells: number, seconds: readonly number[]): string {
  const mean_s = seconds.reduce((sum, each) => sum + each, 0) / seconds.length;
  return `, ${roughly(cells * mean_s)}, judged by ${counted(seconds.length, "cell")} of it`;
}
