import { useMay } from "@/api/teams/session";
import { AccountsTab } from "@/features/runs/accounts/AccountsTab";
import { useAddress } from "@/routes/useAddress";
import { NotFound } from "@/ui/links/NotFound";

export function AwsAccountsRoute() {
  const { search, onSearch } = useAddress("/settings/aws-accounts");
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <div className="page">
      <AccountsTab search={search} onSearch={(next) => onSearch(next, false)} />
    </div>
  );
}
