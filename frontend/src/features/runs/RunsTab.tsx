import { Button, Checkbox, Group, NativeSelect } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { hasEnded, isUnderWay, RUN_STATES, type RunSummary, runList } from "@/api/runs/runs";
import { useNow } from "@/lib/useNow";
import { counted, moment } from "@/lib/wording";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { linkToRun } from "@/ui/links/objects";
import { List } from "@/ui/list/List";
import { useRows } from "@/ui/list/useRows";
import classes from "./Runs.module.css";
import { StateMark } from "./StateMark";
import { idsIn, MOST_COMPARED, type RunsSearch, runsSearchFrom } from "./search";
import { agoWords, machineWords, moneyWords, STATES } from "./words";

interface RunsTabProps {
  search: RunsSearch;
  onSearch: (search: RunsSearch) => void;
  /** Link to a new run; null without permission. */
  begin: ReactNode;
  /** Requirement of the first run: a connected account. */
  connect: ReactNode;
}

/** List of runs, newest first, with state, cost and remaining resources. */
export function RunsTab({ search, onSearch, begin, connect }: RunsTabProps) {
  useDocumentTitle("Runs · Stowage");
  const state = search.state ?? "";
  const list = useRows(runList(state), (page) => page.runs);
  const chosen = idsIn(search.compare);
  const toggle = (id: string, on: boolean) => {
    const ids = on ? [...chosen, id] : chosen.filter((one) => one !== id);
    onSearch(runsSearchFrom({ ...search, compare: ids.join(",") }));
  };
  return (
    <section className="card" aria-labelledby="runs">
      <div className="spread">
        <h1 id="runs">Runs</h1>
        <Group gap="6px 8px">
          {chosen.length > 1 && (
            <ButtonLink
              to="/benchmarks/runs/compare"
              search={{ ids: chosen.join(",") }}
              variant="default"
              size="compact-sm"
            >
              Compare {counted(chosen.length, "run")}
            </ButtonLink>
          )}
          {begin}
        </Group>
      </div>
      {((list.rows?.length ?? 0) > 0 || state !== "") && (
        <Group gap="8px 16px" mt={8} align="flex-end" className="small-labels no-print">
          <NativeSelect
            size="xs"
            label="State"
            value={state}
            data={[
              { value: "", label: "Every state" },
              ...RUN_STATES.map((one) => ({ value: one, label: STATES[one].name })),
            ]}
            onChange={(event) => onSearch(runsSearchFrom({ ...search, state: event.currentTarget.value }))}
          />
          {chosen.length > 0 && (
            <span className="dim small">
              {chosen.length === 1
                ? "One is chosen: choose another one to compare."
                : `${chosen.length} are chosen to compare.`}{" "}
              <Button
                variant="subtle"
                size="compact-xs"
                onClick={() => onSearch(runsSearchFrom({ ...search, compare: "" }))}
              >
                Choose none
              </Button>
            </span>
          )}
        </Group>
      )}
      <List
        {...list}
        kept="The runs go on."
        label={{ "aria-labelledby": "runs" }}
        className={`entries ${classes.list}`}
        filter={{
          active: state !== "",
          none: "No run is in this state.",
          all: "Show all runs",
          onAll: () => onSearch({}),
        }}
        empty={
          <>
            <p>
              A run measures disks or network of instances in your own AWS account: it has a price before it begins,
              never costs more, and leaves nothing behind. No run is kept here yet.
            </p>
            {connect}
          </>
        }
        row={(run) => (
          <Entry
            key={run.id}
            run={run}
            chosen={chosen.includes(run.id)}
            full={chosen.length >= MOST_COMPARED}
            onChoose={(on) => toggle(run.id, on)}
          />
        )}
      />
    </section>
  );
}

interface EntryProps {
  run: RunSummary;
  chosen: boolean;
  full: boolean;
  onChoose: (on: boolean) => void;
}

function Entry({ run, chosen, full, onChoose }: EntryProps) {
  const when = run.finished_at ?? run.launched_at ?? run.created_at;
  return (
    <li>
      <Checkbox
        size="xs"
        className="no-print"
        aria-label={`Compare “${run.name}”`}
        title={full && !chosen ? `${MOST_COMPARED} are chosen already` : "Choose to compare"}
        disabled={full && !chosen}
        checked={chosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <div className="wraps">
        <div className="strong">{linkToRun(run)}</div>
        <div className="dim small">
          {run.spec_words} · {run.account_name ?? "account not connected any more"} · {run.person}, {moment(when)}
        </div>
        <div style={{ marginTop: 2 }}>{run.sentence}</div>
        <Machines run={run} />
      </div>
      <div className={classes.entryState}>
        <StateMark run={run} />
        {isUnderWay(run) && <progress max={1} value={run.progress} aria-label={`Progress of ${run.name}`} />}
        <span className="dim small">{moneyWords(run)}</span>
        {hasEnded(run) && run.launched_at !== null && !run.verified && (
          <span className="bad small">not seen to be clear</span>
        )}
      </div>
    </li>
  );
}

/** States of the instances in EC2 and of the agents on them, with the time of the last sign of each. */
function Machines({ run }: { run: RunSummary }) {
  const now_ms = useNow(isUnderWay(run));
  const words = machineWords(run);
  const signs = [run.instances?.observed_at, run.instances?.heard_at];
  if (words.length === 0) return null;
  return (
    <ul className="bare small dim">
      {words.map((text, index) => {
        const at = signs[index] ?? null;
        return (
          <li key={text}>
            {text}
            {at !== null && (isUnderWay(run) ? ` (${agoWords(at, now_ms)})` : ` (${moment(at)})`)}
          </li>
        );
      })}
    </ul>
  );
}
