import { Button, Group, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiProblem } from "@/api/problem";

const LONGEST_NAME = 200;

interface NameFormProps {
  name: string;
  /** Label of the button (default: Rename). */
  action?: string;
  onRename: (name: string) => Promise<unknown>;
  /** Called after renaming or canceling. */
  onEnd: () => void;
}

/** Render an inline form for the name of an object, old or new: Enter saves, Escape cancels. */
export function NameForm({ name, action = "Rename", onRename, onEnd }: NameFormProps) {
  const [text, setText] = useState(name);
  // Element to refocus when the form closes.
  const [back] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (document.activeElement === document.body && back instanceof HTMLElement) back.focus();
    },
    [back],
  );
  const renaming = useMutation({ mutationFn: onRename, onSuccess: onEnd });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === name && name !== "") onEnd();
        else if (text.trim() !== "") renaming.mutate(text.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onEnd();
      }}
    >
      <Group gap="xs" align="flex-start">
        <TextInput
          aria-label={name === "" ? "Name" : "New name"}
          size="xs"
          value={text}
          data-autofocus
          autoFocus
          autoComplete="off"
          maxLength={LONGEST_NAME}
          style={{ flex: "1 1 200px", minWidth: 0 }}
          error={
            text.trim() === "" && name !== ""
              ? "A name has at least one character."
              : renaming.error && failure(renaming.error)
          }
          onChange={(event) => setText(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button type="submit" size="compact-sm" mt={2} loading={renaming.isPending}>
          {action}
        </Button>
        <Button variant="subtle" size="compact-sm" mt={2} onClick={onEnd}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}

function failure(error: Error): string {
  return error instanceof ApiProblem ? (error.fields[0]?.message ?? error.message) : error.message;
}
