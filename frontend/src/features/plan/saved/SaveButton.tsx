import { Button, Popover, Stack, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Decided } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { plansKey, save, savedPlan, type WorkloadDocument } from "@/api/queries";
import { counted } from "@/lib/wording";
import { submits } from "@/ui/forms/submits";
import { LONGEST_NOTES } from "./decided";

interface SaveButtonProps {
  document: WorkloadDocument;
  /** Returns the current cluster and the pins in the URL. */
  decided: () => Decided;
  disabled: boolean;
  onSaved: (id: string) => void;
}

/** Button to save workload, answer and decisions; name and notes are optional. */
export function SaveButton({ document, decided, disabled, onSaved }: SaveButtonProps) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [notes, setNotes] = useState("");
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: () => save(named(document, name), { ...decided(), notes }),
    onSuccess: (saved) => {
      client.setQueryData(savedPlan(saved.id).queryKey, saved);
      void client.invalidateQueries({ queryKey: [...plansKey(), "list"] });
      setOpen(false);
      onSaved(saved.id);
    },
  });
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus withinPortal>
      <Popover.Target>
        <Button size="compact-sm" disabled={disabled} onClick={() => setOpen(!open)}>
          Save plan
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Save plan">
        <form onSubmit={submits(() => saving.mutate())}>
          <Stack gap="xs">
            <TextInput
              label="Name (optional)"
              value={name}
              error={saving.error === null ? undefined : failure(saving.error)}
              maxLength={200}
              onChange={(event) => setName(event.currentTarget.value)}
              autoComplete="off"
            />
            <Textarea
              label="Notes (optional)"
              description="What is decided, and why"
              value={notes}
              maxLength={LONGEST_NOTES}
              dir="auto"
              resize="vertical"
              rows={3}
              onChange={(event) => setNotes(event.currentTarget.value)}
            />
            <p className="dim small" style={{ margin: 0 }}>
              {savedWith(decided())}
            </p>
            <Button type="submit" size="compact-sm" loading={saving.isPending}>
              Save
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Describe what is saved besides the question and its answer. */
function savedWith({ today, pins = [] }: Decided): string {
  const pinned = pins.length === 0 ? "" : ` and ${counted(pins.length, "pin")}`;
  if (today != null) return `Saved with the baseline${pinned}.`;
  const none = "No baseline is entered, so the plan states no saving; you can add it later.";
  return pins.length === 0 ? none : `Saved with ${counted(pins.length, "pin")}. ${none}`;
}

function named(document: WorkloadDocument, name: string): WorkloadDocument {
  if (name.trim() === "") return document;
  return { ...document, workload: { ...(document["workload"] as WorkloadDocument), name: name.trim() } };
}

function failure(error: Error): string {
  // Without a response it is unknown if the plan was saved.
  if (!(error instanceof ApiProblem)) return `${error.message} Look at Saved plans before you save again.`;
  const reference = error.reference === null ? "" : ` Reference ${error.reference}.`;
  const [problem] = error.fields;
  if (problem === undefined) return `${error.message}${reference}`;
  const pin = /^decided\.pins\.(\d+)\./.exec(problem.path)?.[1];
  const what =
    pin !== undefined ? `Pin ${Number(pin) + 1}: ` : problem.path.startsWith("decided.today") ? "Today: " : "";
  return `${what}${problem.message}${reference}`;
}
