import { useMay } from "@/api/teams/session";
import { ExplorePage } from "@/features/explore/ExplorePage";
import { clusterKey } from "@/features/plan/address/cluster";
import { fewestNodes } from "@/features/plan/configurations/fewest";
import { choiceFrom, searchOf } from "@/features/plan/workload/choice";
import { DEFAULTS } from "@/features/plan/workload/fields";
import { useAddress } from "@/routes/useAddress";
import { ButtonLink } from "@/ui/links/ButtonLink";

export function ExploreRoute() {
  const address = useAddress("/catalog/instances");
  const mayAsk = useMay("plans.ask");
  return (
    <ExplorePage
      {...address}
      planWith={({ name, disks, capacity_gb, version, region, purchase }) =>
        disks === 0 || !mayAsk ? null : (
          <ButtonLink
            to="/plans/new"
            search={{
              ...searchOf({ ...choiceFrom({}), region, purchase, catalog: version }),
              row: clusterKey({
                instance: name,
                nodes: fewestNodes(DEFAULTS.data, disks, capacity_gb),
                storage: { kind: "instance-store" },
              }),
            }}
            size="compact-sm"
            title={`How a cluster of it sorts ${DEFAULTS.data}, beside what else would`}
          >
            Plan with this type in view
          </ButtonLink>
        )
      }
    />
  );
}
