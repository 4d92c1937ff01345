import { Button, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";

interface CopyTextProps {
  /** Returns the text; called on copy. */
  text: () => string;
  label: string;
  /** Announcement after copying. */
  done: string;
  variant?: "default" | "subtle";
}

/** Render a button that copies a text, with visible and spoken confirmation. */
export function CopyText({ text, label, done, variant = "default" }: CopyTextProps) {
  const clipboard = useClipboard({ timeout: 2_000 });
  return (
    <>
      <Button variant={variant} size="compact-sm" className="no-print" onClick={() => clipboard.copy(text())}>
        {clipboard.error !== null ? "Copying is not allowed here" : clipboard.copied ? "Copied" : label}
      </Button>
      <VisuallyHidden role="status">{clipboard.copied ? done : ""}</VisuallyHidden>
    </>
  );
}
