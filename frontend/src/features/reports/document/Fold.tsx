import { type ReactNode, useId, useState } from "react";
import classes from "./Document.module.css";

interface FoldProps {
  as: "h2" | "h3";
  heading: ReactNode;
  /** Class of the heading. */
  className: string | undefined;
  children: ReactNode;
}

/** Part that is collapsed on screen only. A `details` element would stay closed in print. */
export function Fold({ as: Heading, heading, className, children }: FoldProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <Heading className={className}>
        <button type="button" className="fold" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          {heading}
        </button>
      </Heading>
      <div id={id} className={classes.folded} data-open={open || undefined}>
        {children}
      </div>
    </>
  );
}
