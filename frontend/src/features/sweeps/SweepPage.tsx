import { Box, Button, Group, SegmentedControl, Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import type { SweepAnswer } from "@/api/generated";
import type { Job } from "@/api/jobs";
import { start, sweep as sweepQuery } from "@/api/planning/sweeps";
import { useMay } from "@/api/teams/session";
import { useJob } from "@/api/useJob";
import { Chart } from "@/charts/Chart";
import { valueAt } from "@/features/plan/workload/choice";
import { filenameFrom, saveCsv } from "@/lib/csv";
import { moment } from "@/lib/wording";
import { JobProgress } from "@/ui/feedback/JobProgress";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Unread } from "@/ui/feedback/QueryState";
import { NameForm } from "@/ui/forms/NameForm";
import { CellList, CellPanel } from "./CellPanel";
import { type Place, placeFrom, placeText } from "./cell";
import { moneyOfSweep } from "./money";
import { QUANTITIES, spoken } from "./quantities";
import classes from "./SweepPage.module.css";
import { SHOWN, type Shown, type SweepSearch, shownFrom, sweepSearchFrom } from "./search";
import { sweepCsv, sweepTable } from "./table";
import { useCells } from "./useCells";
import { useSweepChanges } from "./useSweepChanges";
import { captionOf, heatCells, scaleOf } from "./views";
import { Winners } from "./Winners";

export interface SweepPageProps {
  id: string;
  search: SweepSearch;
  onSearch: (search: SweepSearch, replace: boolean) => void;
  onStarted: (id: string) => void;
  onDeleted: () => void;
  /** Builds the link to the plan page with the workload of a cell. */
  openAsPlan: (sweep: SweepAnswer, place: Place) => ReactNode;
  /** Further actions on the sweep. */
  share?: ReactNode;
  /** Describes the workload common to all cells, one fact per item. */
  baseWords: (sweep: SweepAnswer) => string[];
  /** Content if the sweep does not exist. */
  missing: ReactNode;
}

/** Sweep page: the progress, and the winner of each cell. */
export function SweepPage(props: SweepPageProps) {
  const query = useQuery(sweepQuery(props.id));
  useDocumentTitle(`${query.data?.name ?? "Sweep"} · Stowage`);
  if (query.data !== undefined) return <Loaded key={query.data.id} {...props} sweep={query.data} />;
  return (
    <Unread
      query={query}
      title="Sweep"
      titleClass="wraps"
      kept="The sweep is kept."
      loading="Reading the sweep"
      heights={[70, 420]}
      missing={props.missing}
    />
  );
}

function Loaded({
  sweep,
  search,
  onSearch,
  onStarted,
  onDeleted,
  openAsPlan,
  baseWords,
  share,
}: SweepPageProps & { sweep: SweepAnswer }) {
  const mayWrite = useMay("plans.write");
  const followed = useJob(sweep.job);
  const { job } = followed;
  useCells(sweep.id, `${job.state} ${job.done}`);
  const again = useMutation({
    mutationFn: () => start({ name: sweep.name, base: sweep.base, columns: sweep.columns, rows: sweep.rows }),
    onSuccess: ({ id }) => onStarted(id),
  });
  return (
    <Stack>
      <Head sweep={sweep} baseWords={baseWords(sweep)} mayWrite={mayWrite} share={share} onDeleted={onDeleted} />
      <section className="card" aria-label="Progress">
        <JobProgress
          {...followed}
          units="cells"
          doing="ranking the configurations of each cell"
          part="worker"
          {...(mayWrite ? { onCancel: followed.cancel, onRetry: followed.retry } : {})}
          error={followed.error ?? again.error}
          actions={
            // A sweep that failed because the measurements changed cannot continue, only restart.
            job.state !== "cancelled" &&
            mayWrite && (
              <Button
                variant="default"
                size="compact-sm"
                loading={again.isPending}
                title="A new sweep of the same, with the catalog and the measurements of today"
                onClick={() => again.mutate()}
              >
                Run again
              </Button>
            )
          }
        />
      </section>
      <Picture sweep={sweep} job={job} search={search} onSearch={onSearch} openAsPlan={openAsPlan} />
      <Winners sweep={sweep} />
    </Stack>
  );
}

interface HeadProps {
  sweep: SweepAnswer;
  baseWords: string[];
  mayWrite: boolean;
  share: ReactNode;
  onDeleted: () => void;
}

function Head({ sweep, baseWords, mayWrite, share, onDeleted }: HeadProps) {
  const [naming, setNaming] = useState(false);
  const { rename, deleting } = useSweepChanges(sweep, onDeleted);
  return (
    <Group justify="space-between" align="flex-start" gap="4px 16px">
      <Box flex="1 1 320px">
        {naming ? (
          <>
            <h1 className="spoken">{sweep.name}</h1>
            <NameForm name={sweep.name} onRename={rename} onEnd={() => setNaming(false)} />
          </>
        ) : (
          <h1 className="wraps">{sweep.name}</h1>
        )}
        <SweepFacts sweep={sweep} baseWords={baseWords} started={sweep.created_at} />
        {valueAt(sweep.base, "assume.network") === "unlimited" && (
          <Notice tone="warn">The network is ignored: each cell is a best case, not a prediction.</Notice>
        )}
        {deleting.error !== null && <ProblemNotice error={deleting.error} kept="The sweep is kept." />}
      </Box>
      <Group gap="xs" className="no-print">
        {share}
        {mayWrite && (
          <>
            <Button variant="default" size="compact-sm" onClick={() => setNaming(!naming)}>
              Rename
            </Button>
            <Button variant="default" size="compact-sm" loading={deleting.isPending} onClick={() => deleting.mutate()}>
              Delete
            </Button>
          </>
        )}
      </Group>
    </Group>
  );
}

/** Axes and versions of a sweep, and the workload common to all cells. */
export function SweepFacts({
  sweep,
  baseWords,
  started,
}: Pick<HeadProps, "sweep" | "baseWords"> & { started?: string }) {
  return (
    <>
      <p className="dim line">
        {QUANTITIES[sweep.columns.quantity].label} by {QUANTITIES[sweep.rows.quantity].in_text}
        {started !== undefined && ` · started ${moment(started)}`} · catalog {sweep.catalog_version}, model{" "}
        {sweep.model_version}
        {sweep.price_terms != null && ` · costs incl. ${sweep.price_terms.words} (${sweep.price_terms.details})`}
      </p>
      <p className="dim line">In every cell: {baseWords.join(" · ")}</p>
    </>
  );
}

const SHOWN_WORDS: Record<Shown, string> = { winner: "Winner", cost: "Cost", time: "Time", limit: "What limits" };

/** Fewest cells that are drawn; of fewer, the answers stand in a list. */
const FEWEST_CELLS = 3;

type PictureProps = Pick<SweepPageProps, "search" | "onSearch" | "openAsPlan"> & { sweep: SweepAnswer; job: Job };

/** Grid of the cells, and the open cell. */
export function Picture({ sweep, job, search, onSearch, openAsPlan }: PictureProps) {
  const { columns, rows } = sweep;
  const shown = shownFrom(search.show);
  const open = placeFrom(search.cell, columns.values.length, rows.values.length);
  const [picked, setPicked] = useState(false);
  const drawn = useMemo(() => {
    const draw = heatCells(sweep, shown);
    return new Map(sweep.cells.map((cell) => [placeText(cell), draw(cell)]));
  }, [sweep, shown]);
  const put = (change: SweepSearch, replace: boolean) => onSearch(sweepSearchFrom({ ...search, ...change }), replace);
  const show = (place: Place) => {
    setPicked(true);
    put({ cell: placeText(place) }, false);
  };
  const close = () => {
    if (open === null) return;
    put({ cell: "" }, false);
    document.querySelector<SVGGElement>(`[data-place="${open.column}-${open.row}"]`)?.focus();
  };
  const small = columns.values.length * rows.values.length < FEWEST_CELLS;
  const partial = sweep.cells.length < job.total;
  // The job is done, but the last cells are still loading: a file without them would look complete.
  const behind = partial && job.state === "done";
  const saved = `${filenameFrom(sweep.name)}${partial ? "-partial" : ""}`;
  const words = { ...SHOWN_WORDS, cost: moneyOfSweep(sweep).of === "month" ? "Monthly cost" : SHOWN_WORDS.cost };
  return (
    <div className={classes.picture}>
      <div>
        <Chart
          title={`Who wins where: ${QUANTITIES[columns.quantity].in_text} by ${QUANTITIES[rows.quantity].in_text}`}
          caption={captionOf(sweep, shown)}
          filename={saved}
          data={() => sweepTable(sweep)}
          controls={
            <Group gap="xs" className="no-print">
              <SegmentedControl
                size="xs"
                aria-label="What the cells show"
                value={shown}
                data={SHOWN.map((value) => ({ value, label: words[value] }))}
                onChange={(value) => put({ show: value }, true)}
              />
              <Button
                variant="default"
                size="compact-sm"
                disabled={sweep.cells.length === 0 || behind}
                onClick={() => saveCsv(sweepCsv(sweep), saved)}
              >
                Save CSV
              </Button>
            </Group>
          }
          label={`Cells: ${words[shown].toLowerCase()}`}
          figure={
            small
              ? null
              : {
                  kind: "cells",
                  columns: {
                    title: QUANTITIES[columns.quantity].label,
                    values: columns.values.map((value) => spoken(columns.quantity, value)),
                  },
                  rows: {
                    title: QUANTITIES[rows.quantity].label,
                    values: rows.values.map((value) => spoken(rows.quantity, value)),
                  },
                  cell: (place) => drawn.get(placeText(place)),
                  scale: scaleOf(sweep, shown),
                  missing: "not computed",
                  open,
                  onOpen: show,
                }
          }
        >
          {small && <CellList sweep={sweep} onOpen={show} />}
        </Chart>
      </div>
      <CellPanel
        sweep={sweep}
        place={open}
        focused={picked}
        openAsPlan={(place) => openAsPlan(sweep, place)}
        onClose={close}
      />
    </div>
  );
}
