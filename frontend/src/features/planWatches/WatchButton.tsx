import { Button, Popover } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { planWatch } from "@/api/planning/planWatches";
import { useMay } from "@/api/teams/session";
import { WatchForm } from "./WatchForm";
import { EVERY } from "./words";

/** Button that watches a saved plan; if it is watched, one that shows the watch further down the page. */
export function WatchButton({ planId }: { planId: string }) {
  const { data: found } = useQuery(planWatch(planId));
  const mayWrite = useMay("plans.write");
  const [opened, setOpened] = useState(false);
  if (found === undefined || !mayWrite) return null;
  if (found.state === "on") {
    return (
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => document.getElementById("watch")?.scrollIntoView({ block: "start" })}
      >
        Watched {found.every === null ? "" : EVERY[found.every]}
      </Button>
    );
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width="min(340px, 92vw)"
      trapFocus
      withinPortal
    >
      <Popover.Target>
        <Button variant="default" size="compact-sm" onClick={() => setOpened(!opened)}>
          Watch
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Watch this plan">
        <p className="line small">Get a notification when the answer to this plan changes.</p>
        <WatchForm planId={planId} now={found} onEnd={() => setOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
