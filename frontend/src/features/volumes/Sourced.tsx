import type { ReactNode } from "react";
import type { Figure } from "@/api/generated";
import { day, threeDigits } from "@/lib/wording";
import { SourcePopover } from "@/ui/values/SourcePopover";
import classes from "./Sourced.module.css";

interface SourcedProps {
  children: ReactNode;
  /** All digits, with the unit. */
  exact: string;
  /** Derivation from the figures; undefined if it is one of them. */
  working?: string;
  figures: readonly Figure[];
  /** Accessible name of the figure. */
  label: string;
}

/** Figure with a popover of its sources and dates. Estimated figures have a dotted underline. */
export function Sourced({ children, exact, working, figures, label }: SourcedProps) {
  const estimated = figures.some(({ kind }) => kind === "estimated");
  const figure = (
    <span className={classes.words}>
      {children}
      <span className="spoken">: sources of {label}</span>
    </span>
  );
  return (
    <SourcePopover
      figure={figure}
      exact={exact}
      kind={estimated ? "estimated" : undefined}
      label={`Sources of ${label}`}
    >
      <p>
        <strong>{exact}</strong>
      </p>
      {working !== undefined && <p>{working}</p>}
      <ul>
        {figures.map(({ quantity, value, unit, kind, as_of, source }) => (
          <li key={quantity}>
            <code>{quantity}</code> = {figureText(value, unit)}: <strong>{kind}</strong>
            {as_of !== null && <>, {day(as_of)}</>}. {source}
          </li>
        ))}
      </ul>
    </SourcePopover>
  );
}

function figureText(value: number, unit: string): string {
  const number = Math.abs(value) >= 1000 ? value.toLocaleString("en-US") : String(Number(value.toPrecision(6)));
  return unit === "1" ? (value < 1 ? threeDigits(value) : number) : `${number} ${unit}`;
}
