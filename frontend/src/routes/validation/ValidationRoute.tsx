import { ValidationPage } from "@/features/validation/ValidationPage";
import { ReportButton } from "@/routes/reports/reportLinks";
import { useAddress } from "@/routes/useAddress";

export function ValidationRoute() {
  return (
    <ValidationPage
      {...useAddress("/benchmarks/accuracy")}
      report={<ReportButton of={{ validation: "published" }} />}
    />
  );
}
