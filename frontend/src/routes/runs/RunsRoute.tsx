import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { accounts } from "@/api/runs/awsAccounts";
import { useMay } from "@/api/teams/session";
import { RunsTab } from "@/features/runs/RunsTab";
import { ButtonLink } from "@/routes/layout/ButtonLink";
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
            <ButtonLink to="/runs/new" size="compact-sm">
              New run
            </ButtonLink>
          )
        }
        compare={(ids, words) => (
          <ButtonLink to="/runs/compare" search={{ ids: ids.join(",") }} variant="default" size="compact-sm">
            {words}
          </ButtonLink>
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
    return <ButtonLink to="/runs/accounts">Connect an AWS account</ButtonLink>;
  }
  if (!mayWrite) return null;
  return <ButtonLink to="/runs/new">Load an example: NetBench on 4 × i4i.xlarge</ButtonLink>;
}
