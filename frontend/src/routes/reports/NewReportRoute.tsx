import { Button, Group, Modal } from "@mantine/core";
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { useMay } from "@/api/teams/session";
import { TodayCluster, todayClusterIn } from "@/features/plan/baseline/TodayCluster";
import { todayOfPlan } from "@/features/plan/saved/decided";
import { ComposerPage } from "@/features/reports/composer/ComposerPage";
import { NeedsRole } from "@/routes/layout/NeedsRole";
import { useAddress } from "@/routes/useAddress";

export function NewReportRoute() {
  if (!useMay("reports.write")) return <NeedsRole to="publish a report" needs="planner" />;
  return <Composing />;
}

function Composing() {
  const address = useAddress("/reports/new");
  const navigate = useNavigate({ from: "/reports/new" });
  const unsaved = useRef(false);
  const leaving = useBlocker({
    // Changes within the same path lose nothing: the state is in the URL.
    shouldBlockFn: ({ current, next }) => unsaved.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => unsaved.current,
    withResolver: true,
  });
  return (
    <>
      <ComposerPage
        {...address}
        todayIn={todayClusterIn}
        todayOf={todayOfPlan}
        today={(fields) => <TodayCluster {...fields} />}
        onUnsaved={(now) => {
          unsaved.current = now;
        }}
        onPublished={(id) => {
          unsaved.current = false;
          void navigate({ to: "/reports/$reportId", params: { reportId: id } });
        }}
      />
      {/* The header of a whole Modal would be a second banner of the page. */}
      <Modal.Root
        opened={leaving.status === "blocked"}
        onClose={() => leaving.reset?.()}
        transitionProps={{ duration: 0 }}
      >
        <Modal.Overlay />
        <Modal.Content>
          <Modal.Body>
            <Group justify="space-between" mb="sm">
              <Modal.Title>Leave without publishing?</Modal.Title>
              <Modal.CloseButton aria-label="Stay" />
            </Group>
            <p>The title and the text of this report are not saved.</p>
            <Group gap="xs">
              <Button data-autofocus onClick={() => leaving.reset?.()}>
                Stay
              </Button>
              <Button variant="default" onClick={() => leaving.proceed?.()}>
                Leave
              </Button>
            </Group>
          </Modal.Body>
        </Modal.Content>
      </Modal.Root>
    </>
  );
}
