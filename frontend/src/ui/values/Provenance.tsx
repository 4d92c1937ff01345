import type { ReactNode } from "react";
import { SourcePopover } from "./SourcePopover";

interface ProvenanceProps {
  /** Displayed text. */
  text: string;
  /** Full precision, with the unit. */
  exact: string;
  /** Origin of the figure. */
  kind: "measured" | "published" | "estimated" | "given" | "predicted";
  /** Accessible name of the figure. */
  label: string;
  /** Source and date. */
  children: ReactNode;
}

/** Render a figure that opens its source. */
export function Provenance({ text, exact, kind, label, children }: ProvenanceProps) {
  const figure = (
    <>
      {text}
      <span className="spoken">
        {kind === "measured" || kind === "estimated" ? ` ${kind}` : ""}: source of {label}
      </span>
    </>
  );
  return (
    <SourcePopover figure={figure} exact={exact} kind={kind} label={`Source of ${label}`}>
      <p>
        <strong>{exact}</strong>, {kind}
      </p>
      {children}
    </SourcePopover>
  );
}
