import { Button, type ButtonProps, Group, Popover } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";

interface ConfirmProps extends Pick<ButtonProps, "size" | "variant" | "color"> {
  /** Text of the button. */
  words: string;
  /** Accessible label that makes sense without context. */
  label?: string;
  /** Consequences, including irreversible ones. */
  children: ReactNode;
  /** Text of the confirm button: a verb. */
  go: string;
  onGo: () => Promise<unknown>;
}

/** Render a button for irreversible actions, with a confirmation next to it. */
export function Confirm({ words, label, children, go, onGo, size = "compact-sm", variant = "default" }: ConfirmProps) {
  const [open, setOpen] = useState(false);
  const [going, setGoing] = useState(false);
  const id = useId();
  return (
    <Popover opened={open} onChange={setOpen} trapFocus returnFocus withinPortal width={300} position="bottom-end">
      <Popover.Target>
        <Button size={size} variant={variant} aria-label={label} onClick={() => setOpen(!open)}>
          {words}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-labelledby={id}>
        <div id={id}>{children}</div>
        <Group gap="xs" mt="sm">
          <Button
            size="compact-sm"
            loading={going}
            onClick={async () => {
              setGoing(true);
              try {
                await onGo();
                setOpen(false);
              } catch {
                // The caller displays the error.
                setOpen(false);
              }
              setGoing(false);
            }}
          >
            {go}
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={() => setOpen(false)}>
            Cancel
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
