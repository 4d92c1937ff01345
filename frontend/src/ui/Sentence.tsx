import type { ReactNode } from "react";

interface SentenceProps {
  as: "h1" | "h2" | "p";
  /** True if it takes two lines even if it is short, so that the layout is stable while the question changes. */
  steady?: boolean;
  facts: readonly ReactNode[];
  children: ReactNode;
}

/** Main answer of a page in a sentence, and its facts. */
export function Sentence({ as: Tag, steady = false, facts, children }: SentenceProps) {
  return (
    <>
      <Tag className={steady ? "headline steady" : "headline"} data-testid="sentence">
        {children}
      </Tag>
      <Facts of={facts} />
    </>
  );
}

/** Facts below the answer of a page; false ones are left out. */
export function Facts({ of }: { of: readonly ReactNode[] }) {
  return (
    <ul className="headline-facts">
      {of.map((fact, place) =>
        fact === false ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: facts keep their places
          <li key={place}>{fact}</li>
        ),
      )}
    </ul>
  );
}
