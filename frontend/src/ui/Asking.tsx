import { Stack } from "@mantine/core";
import type { ReactNode } from "react";

interface AskingProps {
  /** Heading of the page, for screen readers. */
  title: string;
  form: ReactNode;
  formLabel: string;
  /** True while an answer is computed. */
  working: boolean;
  /** What is computed: `Computing the price`. */
  computing?: string;
  /** Errors and notes on the answer, announced to screen readers. */
  notices: ReactNode;
  /** Space between the parts of the answer [px]. */
  gap?: number;
  children: ReactNode;
}

/** Page with a form at the left, and its answer with a progress indicator at the right. */
export function Asking({
  title,
  form,
  formLabel,
  working,
  computing = "Computing",
  notices,
  gap = 16,
  children,
}: AskingProps) {
  return (
    <div className="asking">
      <h1 className="spoken">{title}</h1>
      <aside className="card asking-form" aria-label={formLabel}>
        {form}
      </aside>
      <Stack gap={gap} miw={0}>
        <div
          className="progress"
          style={{ marginBottom: 6 - gap }}
          data-active={working || undefined}
          role="progressbar"
          aria-label={computing}
          aria-busy={working}
          aria-valuetext={working ? "computing" : "done"}
        />
        <Stack aria-live="polite" className="asking-notices" gap={8}>
          {notices}
        </Stack>
        {children}
      </Stack>
    </div>
  );
}
