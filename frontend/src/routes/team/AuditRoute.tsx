import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { AuditPage } from "@/features/audit/AuditPage";
import { NotFound } from "@/ui/links/NotFound";

export function AuditRoute() {
  const search = useSearch({ from: "/team/audit-log" });
  const navigate = useNavigate({ from: "/team/audit-log" });
  if (!useMay("audit.read")) return <NotFound />;
  return (
    <AuditPage
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
    />
  );
}
