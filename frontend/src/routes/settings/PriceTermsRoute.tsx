import { useMay } from "@/api/teams/session";
import { PriceTermsPage } from "@/features/terms/PriceTermsPage";
import { NotFound } from "@/ui/links/NotFound";

export function PriceTermsRoute() {
  if (!useMay("team.read")) return <NotFound />;
  return <PriceTermsPage />;
}
