import type { ReactNode } from "react";
import type { ChangeAnswer } from "@/api/generated";

const WHAT: Record<ChangeAnswer["what"], string> = {
  catalog: "catalog",
  profiles: "measurements",
  "price terms": "price terms",
  model: "model",
};

/** Changes of catalog and software since the plan was saved, with a link to ask again. Empty if there are none. */
export function Changes({ changes, again }: { changes: readonly ChangeAnswer[]; again: ReactNode }) {
  if (changes.length === 0) return null;
  return (
    <span className="small">
      <strong>Changed since:</strong>{" "}
      {changes.map(({ what, then, now }) => `${WHAT[what]}: ${then} then, ${now} now`).join("; ")}. {again}
    </span>
  );
}
