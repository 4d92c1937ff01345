import type { ComponentProps } from "react";

/** Tone of a state: a failure, something to see to, or something that is over; undefined for the usual. */
export type Tone = "bad" | "warn" | "dim" | undefined;

interface MarkProps extends ComponentProps<"span"> {
  /** Symbol, for readers who see it. */
  glyph: string;
  tone: Tone;
}

/** State of something: a symbol and words. */
export function Mark({ glyph, tone, children, ...props }: MarkProps) {
  return (
    <span className={tone === undefined ? "mark" : `mark ${tone}`} {...props}>
      <span aria-hidden="true">{glyph}</span> {children}
    </span>
  );
}
