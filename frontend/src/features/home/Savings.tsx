import { Button, Group, Popover, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PlanSavingRow, SavingsAnswer } from "@/api/generated";
import { homeKey, savingMarker } from "@/api/home";
import { plansKey } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { about, counted, moment, rateWords, usd } from "@/lib/wording";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { useUndo } from "@/ui/feedback/Undo";
import { submits } from "@/ui/forms/submits";
import { linkToPlan } from "@/ui/links/objects";
import { RowAction } from "@/ui/list/RowAction";
import { Value } from "@/ui/values/Value";
import classes from "./HomePage.module.css";
import { Part } from "./parts";

/** Maximum number of characters of a reason that the API stores. */
const LONGEST_REASON = 500;

/** Savings of saved plans against their baselines that no one has acted on. */
export function Savings({ savings }: { savings: SavingsAnswer }) {
  const { rows, size, month_usd, done, done_month_usd } = savings;
  const currency = rows[0]?.saving.currency ?? null;
  const acted = done === 0 ? "" : ` ${counted(done, "saving")} of ${usd(done_month_usd)} a month marked as done.`;
  return (
    <Part
      id="savings"
      title="Savings not acted on"
      empty={`No saved plan costs less than its baseline. Save a plan with what runs today to see what it saves.${acted}`}
      rows={rows.map((row) => <Saving key={row.plan_id} row={row} />)}
      all={
        size > 0 && (
          <>
            {size > rows.length && `The largest ${rows.length} of ${size}. `}
            In total <Value text={usd(month_usd)} exact={month_usd} unit="USD a month" /> a month
            {currency !== null && ` (${about(month_usd, currency)})`}, predicted at the prices of each plan’s catalog
            {currency !== null && `; ${rateWords(currency)}`}. Plans with the same workload and baseline count once: the
            newest.{acted}
          </>
        )
      }
    />
  );
}

type Mark = "done" | "dismissed";

function Saving({ row }: { row: PlanSavingRow }) {
  const { plan_id, name, created_at, saving } = row;
  const mayWrite = useMay("plans.write");
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState("");
  const client = useQueryClient();
  const undo = useUndo();
  const marking = useMutation({
    mutationFn: async (state: Mark) => {
      const mark = savingMarker(plan_id);
      await mark({ state, reason: state === "dismissed" ? reason : "" });
      return { state, mark };
    },
    onSuccess: async ({ state, mark }) => {
      const read = () => Promise.all([homeKey(), plansKey()].map((queryKey) => client.invalidateQueries({ queryKey })));
      setAsking(false);
      await read();
      undo({
        words: `The saving of “${name}” is ${state === "done" ? "marked as done" : "dismissed"}.`,
        undo: () => mark({ state: "open", reason: "" }).then(read),
      });
    },
  });
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        {linkToPlan(plan_id, name)}
        <div>
          {saving.sentence}
          {!saving.same_durability && " The baseline keeps data in another way."}
        </div>
        {marking.error !== null && <ProblemNotice error={marking.error} kept="The saving is as it was." />}
      </div>
      <div className={classes.acts}>
        <div className="dim small">
          {saving.per === "run" ? `${usd(saving.month_usd)} a month at 1 run, ` : ""}
          {moment(created_at)}
        </div>
        {mayWrite && (
          <Group gap={4} justify="flex-end" className="no-print">
            <RowAction
              label={`Mark the saving of “${name}” as done`}
              change={{ mutate: () => marking.mutate("done"), isPending: marking.isPending }}
            >
              Done
            </RowAction>
            <Popover opened={asking} onChange={setAsking} position="bottom-end" trapFocus withinPortal>
              <Popover.Target>
                <Button
                  variant="subtle"
                  size="compact-xs"
                  aria-label={`Dismiss the saving of “${name}”`}
                  onClick={() => setAsking(!asking)}
                >
                  Dismiss
                </Button>
              </Popover.Target>
              <Popover.Dropdown aria-label="Dismiss the saving">
                <form onSubmit={submits(() => marking.mutate("dismissed"))}>
                  <Textarea
                    label="Reason"
                    value={reason}
                    maxLength={LONGEST_REASON}
                    required
                    rows={2}
                    onChange={(event) => setReason(event.currentTarget.value)}
                  />
                  <Button type="submit" size="compact-sm" mt="xs" loading={marking.isPending}>
                    Dismiss
                  </Button>
                </form>
              </Popover.Dropdown>
            </Popover>
          </Group>
        )}
      </div>
    </li>
  );
}
