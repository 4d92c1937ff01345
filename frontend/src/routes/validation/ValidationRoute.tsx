import { useNavigate, useSearch } from "@tanstack/react-router";
import { ValidationPage } from "@/features/validation/ValidationPage";
import { ReportButton } from "@/routes/reports/reportLinks";

export function ValidationRoute() {
  const search = useSearch({ from: "/validation" });
  const navigate = useNavigate({ from: "/validation" });
  return (
    <ValidationPage
      search={search}
      report={<ReportButton of={{ validation: "published" }} />}
      onSearch={(next, replace) => void navigate({ search: next, replace, resetScroll: false })}
    />
  );
}
