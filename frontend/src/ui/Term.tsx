import { Popover, UnstyledButton } from "@mantine/core";
import { memo, type ReactNode, useId, useRef, useState } from "react";
import { GLOSSARY, type GlossaryTerm, termOf } from "@/lib/glossary/glossary";
import classes from "./Term.module.css";

interface TermProps {
  of: GlossaryTerm;
  /** Words of the page (default: the term). */
  children?: ReactNode;
}

/** Label that is explained if the glossary has it, else plain text. */
export function Termed({ text }: { text: string }) {
  const of = termOf(text);
  return of === undefined ? text : <Term of={of}>{text}</Term>;
}

/** Delay before a tooltip is closed, so that the pointer can reach it [ms]. */
const LINGERS_MS = 150;

/** Term of the page that is explained on hover, on focus and by a tap; Escape closes the explanation. */
export const Term = memo(function Term({ of, children }: TermProps) {
  const { term, means } = GLOSSARY[of];
  const id = useId();
  const [opened, setOpened] = useState(false);
  const closing = useRef(0);
  const open = () => {
    window.clearTimeout(closing.current);
    setOpened(true);
  };
  const close = () => {
    window.clearTimeout(closing.current);
    closing.current = window.setTimeout(() => setOpened(false), LINGERS_MS);
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width="min(320px, 92vw)"
      shadow="md"
      transitionProps={{ duration: 80 }}
      withRoles={false}
      // Within the page's main landmark, as all content is.
      portalProps={{ target: document.getElementById("content") ?? document.body }}
    >
      <Popover.Target>
        <UnstyledButton
          component="span"
          role="term"
          tabIndex={0}
          className={classes.term}
          aria-describedby={opened ? id : undefined}
          onMouseEnter={open}
          onMouseLeave={close}
          onFocus={open}
          onBlur={close}
          onClick={(event: React.MouseEvent) => {
            // Rows of tables may be clickable themselves.
            event.stopPropagation();
            open();
          }}
          onKeyDown={(event: React.KeyboardEvent) => {
            if (event.key !== "Escape" || !opened) return;
            event.stopPropagation();
            setOpened(false);
          }}
        >
          {children ?? term}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.means} onMouseEnter={open} onMouseLeave={close}>
        <strong>{term}</strong>
        <p id={id} role="tooltip">
          {means}
        </p>
      </Popover.Dropdown>
    </Popover>
  );
});
