import { useMay } from "@/api/teams/session";
import { UnitsPage } from "@/features/units/UnitsPage";
import { NotFound } from "@/ui/links/NotFound";

export function UnitsRoute() {
  if (!useMay("team.read")) return <NotFound />;
  return <UnitsPage />;
}
