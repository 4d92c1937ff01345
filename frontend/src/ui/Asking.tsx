import { Stack, UnstyledButton } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";
import { BELOW, useMedia } from "@/lib/useMedia";

interface AskingProps {
  /** Heading of the page, for screen readers. */
  title: string;
  form: ReactNode;
  formLabel: string;
  /** Summary of the form, to which it folds above the answer on narrow screens (default: it does not fold). */
  chip?: string;
  /** True if a field has an error: the form is then open. */
  refused?: boolean;
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
  chip,
  refused = false,
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
        <Folding chip={chip} refused={refused}>
          {form}
        </Folding>
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

interface FoldingProps {
  chip: string | undefined;
  refused: boolean;
  children: ReactNode;
}

/** Form that folds to a chip on narrow screens. */
function Folding({ chip, refused, children }: FoldingProps) {
  const id = useId();
  const narrow = useMedia(BELOW.desktop);
  const [open, setOpen] = useState(false);
  if (refused && !open) setOpen(true);
  if (chip === undefined || !narrow) return children;
  return (
    <>
      <UnstyledButton
        className="asking-chip"
        aria-expanded={open}
        aria-controls={id}
        data-testid="question-chip"
        onClick={() => setOpen(!open)}
      >
        <span>{chip}</span> <span className="asking-chip-action">{open ? "close" : "edit"}</span>
      </UnstyledButton>
      <div id={id} hidden={!open}>
        {children}
      </div>
    </>
  );
}
