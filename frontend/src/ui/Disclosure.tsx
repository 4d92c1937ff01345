import { type ReactNode, useState } from "react";

interface DisclosureProps {
  summary: string;
  /** Builds the content when it is first opened: what nobody opens costs nothing. */
  children: () => ReactNode;
}

/** Content behind a line that opens it. */
export function Disclosure({ summary, children }: DisclosureProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="disclosure" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {open && children()}
    </details>
  );
}
