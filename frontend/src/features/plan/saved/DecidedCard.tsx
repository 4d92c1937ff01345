import { Button, Group, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Decided, decidePlan, type SavedPlanAnswer } from "@/api/generated";
import { savedPlan } from "@/api/queries";
import { forTeam } from "@/api/requests";
import { useMay } from "@/api/teams/session";
import { Card } from "@/ui/Card";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { LONGEST_NOTES } from "./decided";

interface DecidedCardProps {
  saved: SavedPlanAnswer;
  /** The current cluster and the pins as shown. */
  now: Decided;
  /** True if they differ from the stored ones. */
  changed: boolean;
  /** Notes as written. The page holds them, because it shows the card elsewhere once something has changed. */
  notes: string;
  onNotes: (notes: string) => void;
  onStored: () => void;
}

/** Notes of a plan, and the shown cluster and pins that are not stored with it. */
export function DecidedCard(props: DecidedCardProps) {
  const mayWrite = useMay("plans.write");
  const { notes } = props.saved.decided;
  if (!mayWrite) return notes === "" ? null : <Notes>{notes}</Notes>;
  return <Written key={notes} {...props} />;
}

/** Read-only notes, with their line breaks. */
export function Notes({ children }: { children: ReactNode }) {
  return (
    <Card id="notes" title="Notes" style={{ marginBottom: "var(--mantine-spacing-md)" }}>
      {typeof children === "string" ? <p style={{ whiteSpace: "pre-wrap", margin: 0 }}>{children}</p> : children}
    </Card>
  );
}

function Written({ saved, now, changed, notes, onNotes, onStored }: DecidedCardProps) {
  const client = useQueryClient();
  const storing = useMutation({
    mutationFn: () => decidePlan({ path: { plan_id: saved.id }, body: { ...now, notes }, ...forTeam() }),
    onSuccess: (stored) => {
      client.setQueryData(savedPlan(stored.id).queryKey, stored);
      onStored();
    },
  });
  const written = notes.trim() !== saved.decided.notes;
  return (
    <Notes>
      <Textarea
        aria-labelledby="notes"
        placeholder="What is decided, and why"
        dir="auto"
        resize="vertical"
        rows={2}
        maxLength={LONGEST_NOTES}
        value={notes}
        onChange={(event) => onNotes(event.currentTarget.value)}
      />
      {(written || changed) && (
        <Group gap="xs" mt="xs" className="no-print">
          <Button size="compact-sm" loading={storing.isPending} onClick={() => storing.mutate()}>
            Save changes
          </Button>
          <span className="dim">
            {changed ? "The baseline or the pins shown are not those that are saved with the plan." : "Not saved yet."}
          </span>
        </Group>
      )}
      {storing.error !== null && <ProblemNotice error={storing.error} kept="What was saved before is kept." />}
    </Notes>
  );
}
