// The names that the page uses for what `GET /api/v1/validation` answers.

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
