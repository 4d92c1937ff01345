import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Watch } from "@/api/runs/watches";
import { useMay } from "@/api/teams/session";
import { WatchesTab } from "@/features/watches/WatchesTab";
import { WatchPage } from "@/features/watches/WatchPage";
import { ButtonLink } from "@/routes/layout/ButtonLink";
import { NotFound } from "@/routes/layout/NotFound";
import { RunsTabs } from "./RunsTabs";

function linkToWatch({ id, volume_id }: Watch) {
  return (
    <Link to="/runs/volumes/$watchId" params={{ watchId: id }}>
      {volume_id}
    </Link>
  );
}

export function WatchesRoute() {
  const search = useSearch({ from: "/runs/volumes" });
  const navigate = useNavigate({ from: "/runs/volumes" });
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunsTabs>
      <WatchesTab
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
        onAdded={(watchId) => void navigate({ to: "/runs/volumes/$watchId", params: { watchId } })}
        linkTo={linkToWatch}
        connect={<ButtonLink to="/runs/accounts">Connect an AWS account</ButtonLink>}
      />
    </RunsTabs>
  );
}

export function WatchRoute() {
  const { watchId } = useParams({ from: "/runs/volumes/$watchId" });
  const search = useSearch({ from: "/runs/volumes/$watchId" });
  const navigate = useNavigate({ from: "/runs/volumes/$watchId" });
  if (!useMay("runs.read")) return <NotFound />;
  return (
    <RunsTabs>
      <WatchPage
        id={watchId}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
        back={
          <ButtonLink to="/runs/volumes" variant="default" size="compact-sm">
            All volumes
          </ButtonLink>
        }
        missing={<NotFound what="There is no such volume, or it belongs to another team." />}
      />
    </RunsTabs>
  );
}
