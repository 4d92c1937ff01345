import { type ReactNode, useState } from "react";

interface DisclosureProps {
  summary: string;
  /** True if the content is shown at first, for example because it contains a selection. */
  initiallyOpen?: boolean;
  /** Called when it opens or closes. */
  onToggle?: (open: boolean) => void;
  /** Renders the content; called on first opening. */
  children: () => ReactNode;
}

/** Render a summary line that expands its content. */
export function Disclosure({ summary, initiallyOpen = false, onToggle, children }: DisclosureProps) {
  const [open, setOpen] = useState(initiallyOpen);
  return (
    <details
      className="disclosure"
      open={open}
      onToggle={(event) => {
        const next = event.currentTarget.open;
        if (next === open) return;
        setOpen(next);
        onToggle?.(next);
      }}
    >
      <summary>{summary}</summary>
      {open && children()}
    </details>
  );
}
