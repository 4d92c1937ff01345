// Types of the answer of `GET /api/v1/validation`.

import type { CaseAnswer } from "@/api/generated";

export type {
  AccuracyAnswer,
  CaseAnswer,
  ContradictionAnswer,
  ErrorsAnswer,
  ExperimentAnswer,
  ExperimentsAnswer,
  FrameworkAnswer,
  LimitAnswer,
  ValidationAnswer,
} from "@/api/generated";

export type CaseKind = CaseAnswer["kind"];
export type CaseGroup = CaseAnswer["group"];
