import type { ReactNode } from "react";
import classes from "./Form.module.css";

interface NarrowPageProps {
  /** Id of the heading. */
  id: string;
  title: ReactNode;
  children: ReactNode;
}

/** Page with a single form. */
export function NarrowPage({ id, title, children }: NarrowPageProps) {
  return (
    <section className={`card ${classes.narrow}`} aria-labelledby={id}>
      <h1 id={id} className="heading">
        {title}
      </h1>
      {children}
    </section>
  );
}
