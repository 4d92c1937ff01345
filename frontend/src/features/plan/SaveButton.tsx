import { Button, Popover, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiProblem } from "@/api/problem";
import { plansKey, save, savedPlan, type WorkloadDocument } from "@/api/queries";

interface SaveButtonProps {
  document: WorkloadDocument;
  disabled: boolean;
  onSaved: (id: string) => void;
}

/** Stores workload and answer; a name is optional. */
export function SaveButton({ document, disabled, onSaved }: SaveButtonProps) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: () => save(named(document, name)),
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
        <form
          onSubmit={(event) => {
            event.preventDefault();
            saving.mutate();
          }}
        >
          <Stack gap="xs">
            <TextInput
              label="Name (optional)"
              value={name}
              error={saving.error === null ? undefined : failure(saving.error)}
              maxLength={200}
              onChange={(event) => setName(event.currentTarget.value)}
              autoComplete="off"
            />
            <Button type="submit" size="compact-sm" loading={saving.isPending}>
              Save
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

function named(document: WorkloadDocument, name: string): WorkloadDocument {
  if (name.trim() === "") return document;
  return { ...document, workload: { ...(document["workload"] as WorkloadDocument), name: name.trim() } };
}

function failure(error: Error): string {
  // Without an answer nobody knows how far the request came.
  if (!(error instanceof ApiProblem)) return `${error.message} Look at Saved plans before you save again.`;
  const reference = error.reference === null ? "" : ` Reference ${error.reference}.`;
  return `${error.fields[0]?.message ?? error.message}${reference}`;
}
