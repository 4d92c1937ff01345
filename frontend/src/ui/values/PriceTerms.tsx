import { createContext, type ReactNode, useContext } from "react";
import type { TermsAnswer } from "@/api/generated";

const Terms = createContext<TermsAnswer | null>(null);

interface PricedProps {
  /** Discounts that the costs of an answer include; null for published prices. */
  terms: TermsAnswer | null | undefined;
  children: ReactNode;
}

/** Costs under price terms: `PriceNote` names the terms everywhere below. */
export function Priced({ terms, children }: PricedProps) {
  return <Terms.Provider value={terms ?? null}>{children}</Terms.Provider>;
}

/** Return the discounts in a few words to append to a heading: `, incl. 12% discount`. Empty for published prices. */
export function useTermsWords(): string {
  const terms = useContext(Terms);
  return terms === null ? "" : `, incl. ${terms.words}`;
}

/** Name the discounts beside a cost or in the header of a column; nothing for published prices. */
export function PriceNote() {
  const terms = useContext(Terms);
  if (terms === null) return null;
  return (
    <span className="dim small" title={`${terms.details}${terms.since === null ? "" : `; since ${terms.since}`}`}>
      {" "}
      incl. {terms.words}
    </span>
  );
}
