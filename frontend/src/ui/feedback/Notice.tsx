import type { ReactNode } from "react";

interface NoticeProps {
  tone: "plain" | "warn" | "bad";
  title?: string;
  children?: ReactNode;
}

/** Render a notice; errors are also announced to screen readers. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div className="notice" data-tone={tone} role={tone === "bad" ? "alert" : "note"}>
      {title !== undefined && <strong>{title}</strong>}
      {children}
    </div>
  );
}
