import { OutlookPage } from "@/features/outlook/OutlookPage";
import { questionIn } from "@/features/outlook/search";
import { searchOf } from "@/features/plan/workload/choice";
import { workloadWords } from "@/features/plan/workload/workloadWords";
import { useAddress } from "@/routes/useAddress";
import { ButtonLink } from "@/ui/links/ButtonLink";

export function OutlookRoute() {
  const address = useAddress("/plans/outlook");
  const { search } = address;
  const { choice } = questionIn(search);
  const plan = { ...searchOf(choice), ...(search.row === undefined ? {} : { row: search.row, tab: "money" as const }) };
  return (
    <OutlookPage
      {...address}
      workload={workloadWords(choice)}
      toPlan={
        <ButtonLink to="/plans/new" search={plan} variant="default" size="compact-sm">
          {search.row === undefined ? "To the plan" : "Change the workload"}
        </ButtonLink>
      }
    />
  );
}
