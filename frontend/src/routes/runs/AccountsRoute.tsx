import { useMay } from "@/api/teams/session";
import { AccountsTab } from "@/features/runs/accounts/AccountsTab";
import { useAddress } from "@/routes/useAddress";
import { NotFound } from "@/ui/links/NotFound";
import { RunsTabs } from "./RunsTabs";

export function AccountsRoute() {
  const { search, onSearch } = useAddress("/runs/accounts");
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunsTabs>
      <AccountsTab search={search} onSearch={(next) => onSearch(next, false)} />
    </RunsTabs>
  );
}
