import type { ContradictionAnswer } from "./answer";
import classes from "./ValidationPage.module.css";

/** Contradictions within a publication, or between publications. */
export function Contradictions({ contradictions }: { contradictions: readonly ContradictionAnswer[] }) {
  if (contradictions.length === 0) return null;
  return (
    <section className="card" aria-labelledby="contradictions">
      <h2 id="contradictions" className="title">
        What the sources contradict
      </h2>
      <ul className={classes.contradictions}>
        {contradictions.map(({ title, text, source }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
            <p className="dim small">{source}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
