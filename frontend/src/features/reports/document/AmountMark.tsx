import type { Amount } from "@/api/generated";
import { day } from "@/lib/wording";
import { Provenance } from "@/ui/values/Provenance";
import { exactly } from "./amounts";
import classes from "./Document.module.css";
import { Plain } from "./Plain";

interface AmountMarkProps {
  amount: Amount;
  /** Label for screen readers. */
  label: string;
}

/** A number in a report: hovering shows all digits, a click shows the source. */
export function AmountMark({ amount, label }: AmountMarkProps) {
  const { words, range_words, standing, source, as_of } = amount;
  const figure =
    standing === null || (source === null && as_of === null && standing === "predicted") ? (
      <span title={exactly(amount)}>{words}</span>
    ) : (
      <Provenance text={words} exact={exactly(amount)} kind={standing} label={label}>
        {source !== null && <p>{source}</p>}
        {as_of !== null && <p>Of {day(as_of)}.</p>}
        {source === null && as_of === null && <p>No source is named.</p>}
      </Provenance>
    );
  if (range_words === null) return figure;
  return (
    <>
      {figure} <span className={classes.range}>{range_words}</span>
    </>
  );
}

/** Content of a cell or a fact: a number, a text, or nothing. */
export function Said({ what, label }: { what: Amount | string | null; label: string }) {
  if (what === null) return <span className="dim">—</span>;
  if (typeof what === "string") return <Plain text={what} />;
  return <AmountMark amount={what} label={label} />;
}
