import { useNavigate, useSearch } from "@tanstack/react-router";
import { VolumesPage } from "@/features/volumes/VolumesPage";

export function VolumesRoute() {
  const search = useSearch({ from: "/volumes" });
  const navigate = useNavigate({ from: "/volumes" });
  return (
    <VolumesPage
      search={search}
      onSearch={(next, replace) => void navigate({ search: next, replace, resetScroll: false })}
    />
  );
}
