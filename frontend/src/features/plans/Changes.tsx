import type { ReactNode } from "react";
import type { ChangeAnswer } from "@/api/generated";

const WHAT: Record<ChangeAnswer["what"], string> = {
  catalog: "catalog",
  profiles: "measurements",
  model: "model",
};

/** What the same question would rest on today, and how to ask it again. Nothing where nothing changed. */
export function Changes({ changes, again }: { changes: readonly ChangeAnswer[]; again: ReactNode }) {
  if (changes.length === 0) return null;
  return (
    <span className="small">
      <strong>Changed since:</strong>{" "}
      {changes.map(({ what, then, now }) => `${WHAT[what]} ${then} then, ${now} now`).join("; ")}. {again}
    </span>
  );
}
