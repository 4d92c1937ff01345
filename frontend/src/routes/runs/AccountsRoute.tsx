import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { AccountsTab } from "@/features/runs/accounts/AccountsTab";
import { NotFound } from "@/ui/links/NotFound";
import { RunsTabs } from "./RunsTabs";

export function AccountsRoute() {
  const search = useSearch({ from: "/runs/accounts" });
  const navigate = useNavigate({ from: "/runs/accounts" });
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunsTabs>
      <AccountsTab search={search} onSearch={(next) => void navigate({ search: next, resetScroll: false })} />
    </RunsTabs>
  );
}
