import { Card } from "@/ui/Card";
import type { ContradictionAnswer } from "./answer";
import classes from "./ValidationPage.module.css";

/** Contradictions within a publication, or between publications. */
export function Contradictions({ contradictions }: { contradictions: readonly ContradictionAnswer[] }) {
  if (contradictions.length === 0) return null;
  return (
    <Card id="contradictions" title="What the sources contradict">
      <ul className={`bare ruled between ${classes.contradictions}`}>
        {contradictions.map(({ title, text, source }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
            <p className="dim small">{source}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
