import { Popover, UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import type { FigureAnswer } from "@/api/generated";
import { day, threeDigits } from "@/lib/wording";
import classes from "./Sourced.module.css";

interface SourcedProps {
  children: ReactNode;
  /** All digits, with the unit. */
  exact: string;
  /** Derivation from the figures; undefined if it is one of them. */
  working?: string;
  figures: readonly FigureAnswer[];
  /** Accessible name of the figure. */
  label: string;
}

/** Figure with a popover of its sources and dates. Estimated figures have a dotted underline. */
export function Sourced({ children, exact, working, figures, label }: SourcedProps) {
  const estimated = figures.some(({ kind }) => kind === "estimated");
  return (
    <Popover position="bottom-start" width="min(380px, 92vw)" shadow="md" transitionProps={{ duration: 80 }} trapFocus>
      <Popover.Target>
        <UnstyledButton
          className={classes.figure}
          data-estimated={estimated || undefined}
          title={exact}
          onClick={(event) => event.stopPropagation()}
        >
          {children}
          <span className="spoken">: sources of {label}</span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={`Sources of ${label}`} onClick={(event) => event.stopPropagation()}>
        {/* Receives the focus, so that the sources can be read and scrolled by keyboard. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
        <section className={classes.sources} tabIndex={0} aria-label={`Sources of ${label}`} data-autofocus>
          <p>
            <strong>{exact}</strong>
          </p>
          {working !== undefined && <p>{working}</p>}
          <ul>
            {figures.map((figure) => (
              <li key={figure.quantity}>
                <code>{figure.quantity}</code> = {figureText(figure)}: <strong>{figure.kind}</strong>
                {figure.as_of !== null && <>, {day(figure.as_of)}</>}. {figure.source}
              </li>
            ))}
          </ul>
        </section>
      </Popover.Dropdown>
    </Popover>
  );
}

function figureText({ value, unit }: FigureAnswer): string {
  const number = Math.abs(value) >= 1000 ? value.toLocaleString("en-US") : String(Number(value.toPrecision(6)));
  return unit === "1" ? (value < 1 ? threeDigits(value) : number) : `${number} ${unit}`;
}
