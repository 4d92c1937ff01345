import { useMay } from "@/api/teams/session";
import { AuditPage } from "@/features/audit/AuditPage";
import { useAddress } from "@/routes/useAddress";
import { NotFound } from "@/ui/links/NotFound";

export function AuditRoute() {
  const address = useAddress("/settings/audit-log");
  if (!useMay("audit.read")) return <NotFound />;
  return <AuditPage {...address} />;
}
