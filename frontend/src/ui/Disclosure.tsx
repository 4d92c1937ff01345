import { type ReactNode, useState } from "react";

interface DisclosureProps {
  summary: string;
  /** True if initially open, for example because it contains a selection. */
  begun?: boolean;
  /** Called when it opens or closes. */
  onToggle?: (open: boolean) => void;
  /** Renders the content; called on first opening. */
  children: () => ReactNode;
}

/** Render a summary line that expands its content. */
export function Disclosure({ summary, begun = false, onToggle, children }: DisclosureProps) {
  const [open, setOpen] = useState(begun);
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
