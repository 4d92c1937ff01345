import { Popover, UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Provenance.module.css";

interface ProvenanceProps {
  /** Displayed text. */
  text: string;
  /** Full precision, with the unit. */
  exact: string;
  /** Origin of the figure; measured figures have a dot, estimated ones a dotted underline. */
  kind: "measured" | "published" | "estimated" | "given" | "predicted";
  /** Accessible name of the figure. */
  label: string;
  /** Source and date. */
  children: ReactNode;
}

/** Render a figure that opens its source. */
export function Provenance({ text, exact, kind, label, children }: ProvenanceProps) {
  return (
    <Popover position="bottom-start" width="min(360px, 92vw)" shadow="md" transitionProps={{ duration: 80 }} trapFocus>
      <Popover.Target>
        <UnstyledButton className={classes.figure} data-kind={kind} title={exact}>
          {text}
          <span className="spoken">
            {kind === "measured" || kind === "estimated" ? ` ${kind}` : ""}: source of {label}
          </span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={`Source of ${label}`}>
        {/* Focusable, so that it can be read and scrolled by keyboard. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
        <section className={classes.source} tabIndex={0} aria-label={`Source of ${label}`} data-autofocus>
          <p>
            <strong>{exact}</strong>, {kind}
          </p>
          {children}
        </section>
      </Popover.Dropdown>
    </Popover>
  );
}
