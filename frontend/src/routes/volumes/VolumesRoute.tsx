import { VolumesPage } from "@/features/volumes/VolumesPage";
import { useAddress } from "@/routes/useAddress";

export function VolumesRoute() {
  return <VolumesPage {...useAddress("/catalog/volumes")} />;
}
