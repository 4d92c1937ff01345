import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { AccountsTab } from "@/features/runs/accounts/AccountsTab";
import { ButtonLink } from "@/routes/layout/ButtonLink";
import { NotFound } from "@/routes/layout/NotFound";
import { RunsTabs } from "./RunsTabs";

export function AccountsRoute() {
  const search = useSearch({ from: "/runs/accounts" });
  const navigate = useNavigate({ from: "/runs/accounts" });
  const mayWrite = useMay("runs.write");
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunsTabs>
      <AccountsTab
        search={search}
        onSearch={(next) => void navigate({ search: next, resetScroll: false })}
        run={({ id, name }) =>
          mayWrite && (
            <ButtonLink to="/runs/new" search={{ account: id }} size="compact-sm" aria-label={`New run in ${name}`}>
              New run
            </ButtonLink>
          )
        }
      />
    </RunsTabs>
  );
}
