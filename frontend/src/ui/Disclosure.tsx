import { type ReactNode, useState } from "react";

interface DisclosureProps {
  summary: string;
  /** Whether it is open to begin with: because something in it was chosen. */
  begun?: boolean;
  /** Told when it opens and closes. */
  onToggle?: (open: boolean) => void;
  /** Builds the content when it is first opened. */
  children: () => ReactNode;
}

/** Content behind a line that opens it. */
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
