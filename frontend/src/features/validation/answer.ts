// Types of the answer of `GET /api/v1/validation`.

import type { CaseAnswer } from "@/api/generated";

export type {
  Accuracy as AccuracyAnswer,
  CaseAnswer,
  ContradictionAnswer,
  Errors as ErrorsAnswer,
  Experiment as ExperimentAnswer,
  Experiments as ExperimentsAnswer,
  FrameworkAnswer,
  LimitedRun as LimitAnswer,
  ValidationAnswer,
} from "@/api/generated";

export type CaseKind = CaseAnswer["kind"];
export type CaseGroup = CaseAnswer["group"];
