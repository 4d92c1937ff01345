import { Button } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ExplorePage } from "@/features/explore/ExplorePage";
import { choiceFrom, searchOf } from "@/features/plan/choice";
import { clusterKey } from "@/features/plan/cluster";

/** As many as show that it is a cluster; the plan page asks for the number. */
const NODES = 10;

export function ExploreRoute() {
  const search = useSearch({ from: "/explore" });
  const navigate = useNavigate({ from: "/explore" });
  return (
    <ExplorePage
      search={search}
      onSearch={(next, replace) => void navigate({ search: next, replace, resetScroll: false })}
      predictOn={({ name, disks, version, region }) =>
        disks === 0 ? null : (
          <Button
            size="compact-sm"
            renderRoot={(props) => (
              <Link
                to="/"
                search={{
                  ...searchOf({ ...choiceFrom({}), region, catalogue: version }),
                  today: clusterKey({ instance: name, nodes: NODES, storage: { kind: "instance-store" } }),
                }}
                {...props}
              />
            )}
          >
            Predict on {NODES} of them
          </Button>
        )
      }
    />
  );
}
