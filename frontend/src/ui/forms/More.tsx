import { Button, Collapse } from "@mantine/core";
import { type ReactNode, useId } from "react";

interface MoreProps {
  opened: boolean;
  onToggle: () => void;
  children: ReactNode;
}

/** Fields of a form that few users need, on demand. */
export function More({ opened, onToggle, children }: MoreProps) {
  const id = useId();
  return (
    <div>
      <Button variant="subtle" size="compact-sm" ml={-8} aria-expanded={opened} aria-controls={id} onClick={onToggle}>
        {opened ? "Less" : "More"}
      </Button>
      <Collapse expanded={opened} id={id}>
        {children}
      </Collapse>
    </div>
  );
}
