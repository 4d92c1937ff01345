import { figureWords } from "@/lib/quantities";
import { day } from "@/lib/wording";
import { type Cell, type Column, kindOf, unitWords } from "./table";

/** A figure in a table: measured ones have a dot, estimated ones a dotted underline; a tooltip shows all digits. */
export function Figure({ cell, column }: { cell: Cell | null; column: Column }) {
  if (cell === null) {
    return (
      <span className="dim" title="Not known">
        —
      </span>
    );
  }
  const kind = kindOf(cell);
  return (
    <span className="sourced" data-kind={kind} title={titleOf(cell, column)}>
      {figureWords(cell.value)}
      {(kind === "estimated" || kind === "measured") && <span className="spoken"> {kind}</span>}
    </span>
  );
}

function titleOf({ value, source }: Cell, column: Column): string {
  const unit = unitWords(column);
  return [unit === "" ? String(value) : `${value} ${unit}`, ...(source === null ? [] : [source.kind])].join(", ");
}

/** Source of a figure, in full. */
export function SourceWords({ source }: { source: Cell["source"] }) {
  if (source === null) return <>Nothing is known of where it is from.</>;
  return (
    <>
      <strong>
        {source.kind}
        {source.own ? " by your team" : ""}
      </strong>
      {source.as_of !== null && <>, {day(source.as_of)}</>}. {source.text}
    </>
  );
}
