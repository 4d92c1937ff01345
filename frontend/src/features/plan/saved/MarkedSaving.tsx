import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { SavedPlanAnswer } from "@/api/generated";
import { homeKey, savingMarker } from "@/api/home";
import { plansKey, savedPlan } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { moment } from "@/lib/wording";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { RowAction } from "@/ui/list/RowAction";

const WORDS = { done: "Saving marked as done", dismissed: "Saving dismissed" };

/** Who marked the saving of a plan as done or dismissed, and why, with a button that undoes it. */
export function MarkedSaving({ saved }: { saved: Pick<SavedPlanAnswer, "id" | "saving_mark"> }) {
  const { state, reason, person, at } = saved.saving_mark;
  const mayWrite = useMay("plans.write");
  const client = useQueryClient();
  const reopening = useMutation({
    mutationFn: () => savingMarker(saved.id)({ state: "open", reason: "" }),
    onSuccess: async (plan) => {
      client.setQueryData(savedPlan(saved.id).queryKey, plan);
      const lists = [homeKey(), [...plansKey(), "list"]];
      await Promise.all(lists.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  if (state === "open") return null;
  return (
    <>
      <p className="dim small line">
        {WORDS[state]} by {person}
        {at === null ? "" : `, ${moment(at)}`}
        {reason === "" ? "." : `: ${reason}`}{" "}
        {mayWrite && (
          <RowAction label="Reopen the saving" change={reopening} className="no-print">
            Reopen
          </RowAction>
        )}
      </p>
      {reopening.error !== null && <ProblemNotice error={reopening.error} kept="The mark is kept." />}
    </>
  );
}
