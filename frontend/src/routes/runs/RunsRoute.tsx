import { useQuery } from "@tanstack/react-query";
import { accounts } from "@/api/runs/awsAccounts";
import { useMay } from "@/api/teams/session";
import { RunsTab } from "@/features/runs/RunsTab";
import { useAddress } from "@/routes/useAddress";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { NotFound } from "@/ui/links/NotFound";
import { RunsTabs } from "./RunsTabs";

export function RunsRoute() {
  const address = useAddress("/runs");
  const mayWrite = useMay("runs.write");
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunsTabs>
      <RunsTab
        {...address}
        begin={
          mayWrite && (
            <ButtonLink to="/runs/new" size="compact-sm">
              New run
            </ButtonLink>
          )
        }
        connect={<First mayWrite={mayWrite} />}
      />
    </RunsTabs>
  );
}

/** Render the first step for a team without runs. */
function First({ mayWrite }: { mayWrite: boolean }) {
  const connected = useQuery(accounts()).data?.accounts.some(({ state }) => state === "connected");
  if (connected === undefined) return null;
  if (!connected) {
    return <ButtonLink to="/runs/accounts">Connect an AWS account</ButtonLink>;
  }
  if (!mayWrite) return null;
  return <ButtonLink to="/runs/new">Load an example: NetBench on 4 × i4i.xlarge</ButtonLink>;
}
