import type { ComponentPropsWithoutRef, ReactNode } from "react";

interface CardProps extends Omit<ComponentPropsWithoutRef<"section">, "title"> {
  /** Id of the heading. */
  id: string;
  title: ReactNode;
}

/** Part of a page with a heading. */
export function Card({ id, title, children, ...rest }: CardProps) {
  return (
    <section className="card" aria-labelledby={id} {...rest}>
      <h2 id={id} className="title">
        {title}
      </h2>
      {children}
    </section>
  );
}
