import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { searchAhead } from "@/features/outlook/search";
import type { Cluster } from "@/features/plan/address/cluster";
import type { Choice } from "@/features/plan/workload/choice";

export function outlookOf(choice: Choice, cluster: Cluster) {
  return (
    <Button
      variant="default"
      size="compact-sm"
      className="no-print"
      title="Growth of the data, ways to pay, and when a commitment has paid"
      renderRoot={(props) => <Link to="/outlook" search={searchAhead(choice, cluster)} {...props} />}
    >
      Cost over time
    </Button>
  );
}
