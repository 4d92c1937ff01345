import { Popover, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import classes from "./SourcePopover.module.css";

interface SourcePopoverProps {
  /** Displayed figure, with the accessible name of the button. */
  figure: ReactNode;
  /** All digits, with the unit. */
  exact: string;
  /** Measured figures have a dot, estimated ones a dotted underline. */
  kind: "measured" | "published" | "estimated" | "given" | "predicted" | undefined;
  /** Accessible name of the popover. */
  label: string;
  /** Sources and dates. */
  children: ReactNode;
}

/** Figure that opens its sources. */
export function SourcePopover({ figure, exact, kind, label, children }: SourcePopoverProps) {
  const [opened, { toggle, close, set }] = useDisclosure(false);
  return (
    <Popover
      opened={opened}
      onChange={set}
      position="bottom-start"
      width="min(380px, 92vw)"
      shadow="md"
      transitionProps={{ duration: 80 }}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <UnstyledButton
          className={`sourced ${classes.figure}`}
          data-kind={kind}
          title={exact}
          onClick={(event) => {
            // Rows of tables may be clickable themselves.
            event.stopPropagation();
            toggle();
          }}
          onKeyDown={({ key }) => {
            // The popover closes itself only once it has the focus.
            if (key === "Escape") close();
          }}
        >
          {figure}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={label} onClick={(event) => event.stopPropagation()}>
        {/* Focusable, so that it can be read and scrolled by keyboard. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
        <section className={classes.source} tabIndex={0} aria-label={label} data-autofocus>
          {children}
        </section>
      </Popover.Dropdown>
    </Popover>
  );
}
