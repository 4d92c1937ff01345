// Glossary: the terms of the page that are ours, each in a sentence. `word` is its row in docs/nomenclature.md, which
// defines it for the model; terms of AWS and FinOps are not explained here.

interface Entry {
  /** The term as the page writes it. */
  term: string;
  /** One or two plain sentences. */
  means: string;
  /** Words of docs/nomenclature.md on which it rests; none if only the page uses the term. */
  word?: string;
}

export const GLOSSARY = {
  alwaysOn: {
    term: "Always-on monthly cost",
    means: "What a cluster costs that runs all month (730 hours), with its volumes, requests and transfer.",
  },
  baseline: {
    term: "Baseline",
    means: "The cluster you run today. Savings and differences are stated against it.",
  },
  bottleneck: {
    term: "Bottleneck",
    means:
      "The resource that takes longest in a phase, such as the network or the scratch disks. Only a faster one shortens the phase.",
    word: "bottleneck",
  },
  burstCredit: {
    term: "Burst credit",
    means:
      "What may pass a limit beyond its sustained rate until it is used up, as with gp2 volumes, small instances and the page cache.",
    word: "credit",
  },
  calibration: {
    term: "Calibration",
    means: "Properties of a framework, such as start-up time and efficiency, fitted to jobs that have finished.",
    word: "calibration",
  },
  catalogVersion: {
    term: "Catalog version",
    means: "Instance types, volume types and prices of one date. Answers keep the version they were computed with.",
    word: "catalog",
  },
  confidence: {
    term: "Confidence",
    means: "The share of runs that meet the deadline, as predicted. At 95%, one run in twenty is late.",
  },
  deadlineRisk: {
    term: "Risk of missing the deadline",
    means: "The share of runs that are predicted to take longer than the deadline.",
  },
  exposure: {
    term: "Exposure window",
    means: "The time during which data can be lost, because it has no further copy.",
    word: "exposure",
  },
  frontier: {
    term: "Pareto frontier",
    means: "The options of which no other is both faster and cheaper by more than 0.25%.",
    word: "candidate, Pareto frontier",
  },
  framework: {
    term: "Framework efficiency",
    means: "The share of the physical limit that software such as Spark reaches.",
    word: "framework",
  },
  lossProbability: {
    term: "Probability of loss",
    means: "How likely it is that all copies of some block are gone before the data is needed no longer.",
    word: "loss",
  },
  nearTie: {
    term: "Near-tie",
    means:
      "Another instance type is almost as good by the ranked quantity: the difference is smaller than the error of predictions.",
  },
  physicalLimit: {
    term: "Physical limit",
    means: "The time that disks, network and processors alone would take. No framework is faster.",
    word: "framework",
  },
  profile: {
    term: "Profile",
    means:
      "Summary of your results for one instance or volume type: mean, spread, count and age. Plans use it in place of published figures.",
    word: "profile",
  },
  provenance: {
    term: "Sources & assumptions",
    means: "Every figure that a prediction uses, with its source and date.",
    word: "provenance",
  },
  range: {
    term: "Range (p10–p90)",
    means: "Four of five runs are predicted to end within it: p10 is exceeded by nine of ten runs, p90 by one of ten.",
    word: "range",
  },
  scalingCurve: {
    term: "Scaling curve",
    means: "A rate against the number of nodes, through measured points.",
    word: "scaling curve",
  },
  spread: {
    term: "Spread",
    means: "How much nodes of one type differ from each other.",
    word: "spread",
  },
} as const satisfies Record<string, Entry>;

export type GlossaryTerm = keyof typeof GLOSSARY;

const BY_TERM: ReadonlyMap<string, GlossaryTerm> = new Map(
  Object.entries(GLOSSARY).map(([key, { term }]) => [term.toLowerCase(), key as GlossaryTerm]),
);

/** Return the glossary entry of a label, regardless of upper and lower case; undefined for other labels. */
export function termOf(label: string): GlossaryTerm | undefined {
  return BY_TERM.get(label.toLowerCase());
}
