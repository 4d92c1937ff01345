import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { accounts } from "@/api/runs/awsAccounts";
import { useMay } from "@/api/teams/session";
import { RunsTab } from "@/features/runs/RunsTab";
import { NotFound } from "@/routes/layout/NotFound";
import { RunsTabs } from "./RunsTabs";
import { linkToRun } from "./runLinks";

export function RunsRoute() {
  const search = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const mayWrite = useMay("runs.write");
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunsTabs>
      <RunsTab
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
        linkTo={linkToRun}
        begin={
          mayWrite && (
            <Button size="compact-sm" renderRoot={(props) => <Link to="/runs/new" {...props} />}>
              New run
            </Button>
          )
        }
        compare={(ids, words) => (
          <Button
            variant="default"
            size="compact-sm"
            renderRoot={(props) => <Link to="/runs/compare" search={{ ids: ids.join(",") }} {...props} />}
          >
            {words}
          </Button>
        )}
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
    return <Button renderRoot={(props) => <Link to="/runs/accounts" {...props} />}>Connect an AWS account</Button>;
  }
  if (!mayWrite) return null;
  return (
    <Button renderRoot={(props) => <Link to="/runs/new" {...props} />}>
      Load an example: NetBench on 4 × i4i.xlarge
    </Button>
  );
}
