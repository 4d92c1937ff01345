// Descriptions of the kinds of cases.

import type { CaseGroup, CaseKind } from "./answer";

export const KIND_WORDS: Record<CaseKind, { meaning: string; mark: string }> = {
  reproduced: { meaning: "the inputs are from the same table, or it is arithmetic", mark: "open" },
  predicted: { meaning: "a performance figure, from inputs that are independent of it", mark: "filled" },
  fitted: { meaning: "parameters are taken from these rows; the error is that of leaving the row out", mark: "dotted" },
  context: { meaning: "shown for comparison, not held to", mark: "broken outline" },
};

/** Shapes of the marks by group. */
export const GROUP_MARKS: Record<CaseGroup, string> = {
  "job time": "○",
  "device rate": "□",
  price: "◇",
  arithmetic: "△",
};
