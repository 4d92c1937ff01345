import { Button, Group, Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { savedPlan } from "@/api/queries";
import { useMay } from "@/api/teams/session";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { NameForm } from "@/ui/forms/NameForm";
import { Changes } from "./Changes";
import { usePlanChanges } from "./usePlanChanges";

interface PlanActionsProps {
  id: string;
  /** Link to the form with the question of the plan. */
  open: ReactNode;
  /** The same link with the newest catalog. */
  again: ReactNode;
  /** Control to share the plan with people without an account. */
  share?: ReactNode;
  /** Further items of the menu. */
  more?: ReactNode;
  onDuplicated: (id: string) => void;
  onDeleted: () => void;
}

/** Actions on the saved plan, and the changes since it was saved. */
export function PlanActions({ id, ...rest }: PlanActionsProps) {
  const { data: plan } = useQuery(savedPlan(id));
  if (plan === undefined) return rest.open;
  return <Actions plan={plan} {...rest} />;
}

type ActionsProps = Omit<PlanActionsProps, "id"> & {
  plan: { id: string; name: string; changes: Parameters<typeof Changes>[0]["changes"] };
};

function Actions({ plan, open, again, share, more, onDuplicated, onDeleted }: ActionsProps) {
  const [naming, setNaming] = useState(false);
  const { rename, duplicating, deleting, error } = usePlanChanges(plan);
  const mayWrite = useMay("plans.write");
  return (
    <div>
      <Group gap="xs">
        {naming && <NameForm name={plan.name} onRename={rename} onEnd={() => setNaming(false)} />}
        {share}
        {open}
        {mayWrite && (
          <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
            <Menu.Target>
              <Button variant="default" size="compact-sm" loading={duplicating.isPending || deleting.isPending}>
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {more}
              <Menu.Item onClick={() => setNaming(true)}>Rename</Menu.Item>
              <Menu.Item onClick={() => duplicating.mutate(undefined, { onSuccess: (copy) => onDuplicated(copy.id) })}>
                Duplicate
              </Menu.Item>
              <Menu.Item onClick={() => deleting.mutate(undefined, { onSuccess: onDeleted })}>Delete</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <Changes changes={plan.changes} again={again} />
      {error !== null && <ProblemNotice error={error} kept="The plan is kept." />}
    </div>
  );
}
