import { useQuery } from "@tanstack/react-query";
import { accounts } from "@/api/runs/awsAccounts";
import { useMay } from "@/api/teams/session";
import { RunsTab } from "@/features/runs/RunsTab";
import { useAddress } from "@/routes/useAddress";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { NotFound } from "@/ui/links/NotFound";

export function RunsRoute() {
  const address = useAddress("/benchmarks/runs");
  const mayWrite = useMay("runs.write");
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <div className="page">
      <RunsTab
        {...address}
        begin={
          mayWrite && (
            <ButtonLink to="/benchmarks/runs/new" size="compact-sm">
              New run
            </ButtonLink>
          )
        }
        connect={<First mayWrite={mayWrite} />}
      />
    </div>
  );
}

/** Render the first step for a team without runs. */
function First({ mayWrite }: { mayWrite: boolean }) {
  const connected = useQuery(accounts()).data?.accounts.some(({ state }) => state === "connected");
  if (connected === undefined) return null;
  if (!connected) {
    return <ButtonLink to="/settings/aws-accounts">Connect an AWS account</ButtonLink>;
  }
  if (!mayWrite) return null;
  return <ButtonLink to="/benchmarks/runs/new">Load an example: NetBench on 4 × i4i.xlarge</ButtonLink>;
}
