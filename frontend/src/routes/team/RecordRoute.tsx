import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { AuditPage } from "@/features/audit/AuditPage";
import { NotFound } from "@/routes/layout/NotFound";

export function RecordRoute() {
  const search = useSearch({ from: "/team/record" });
  const navigate = useNavigate({ from: "/team/record" });
  if (!useMay("audit.read")) return <NotFound />;
  return (
    <AuditPage
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
    />
  );
}
