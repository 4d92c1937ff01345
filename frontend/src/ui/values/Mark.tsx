import type { ComponentProps } from "react";

/** Tone of a state: `bad` for a failure, `warn` for a warning, `dim` for an ended or inactive state; else undefined. */
export type Tone = "bad" | "warn" | "dim" | undefined;

interface MarkProps extends ComponentProps<"span"> {
  /** Symbol before the words; not read aloud. */
  glyph: string;
  tone: Tone;
}

/** State of an object: a symbol and words. */
export function Mark({ glyph, tone, children, ...props }: MarkProps) {
  return (
    <span className={tone === undefined ? "mark" : `mark ${tone}`} {...props}>
      <span aria-hidden="true">{glyph}</span> {children}
    </span>
  );
}
