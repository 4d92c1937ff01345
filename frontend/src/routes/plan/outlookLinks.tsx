import { searchAhead } from "@/features/outlook/search";
import type { Cluster } from "@/features/plan/address/cluster";
import type { Choice } from "@/features/plan/workload/choice";
import { ButtonLink } from "@/ui/links/ButtonLink";

export function outlookOf(choice: Choice, cluster: Cluster) {
  return (
    <ButtonLink
      to="/plans/outlook"
      search={searchAhead(choice, cluster)}
      variant="default"
      size="compact-sm"
      className="no-print"
      title="Growth of the data, ways to pay, and when a commitment has paid"
    >
      Cost over time
    </ButtonLink>
  );
}
