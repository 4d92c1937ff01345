// Decisions about a plan, converted between address and service: current cluster, pins, comparison.

import type {
  Decided,
  DecidedAnswer,
  InfeasibleAnswer,
  PinnedFile,
  PredictionAnswer,
  SavedPlanAnswer,
} from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { pinsFrom, pinsText, SIDE_BY_SIDE, type View } from "@/features/plan/address/view";
import { pinFromFile, pinnedFile, todayCluster, todayFromCluster } from "@/features/plan/pins/pins";
import { type Choice, choiceFromDocument } from "@/features/plan/workload/choice";

/** As many characters as the service stores. */
export const LONGEST_NOTES = 2_000;

type OfView = Pick<View, "today" | "pins" | "durabilities">;

/** Write for the service what the address holds; notes are not part of an address. */
export function decidedIn(view: OfView, document: WorkloadDocument, base: Choice): Decided {
  return {
    today: view.today === undefined ? null : todayCluster(view.today),
    pins: pinsFrom(view.pins).flatMap((pin) => (pinnedFile(pin, document, base) as PinnedFile | null) ?? []),
    durabilities: view.durabilities === SIDE_BY_SIDE,
  };
}

/** Write for the address what is stored with a plan. */
export function viewOfDecided({ today, pins, durabilities }: DecidedAnswer, base: Choice): OfView {
  return {
    ...(today === null ? {} : { today: todayFromCluster(today.cluster, base) }),
    ...(pins.length === 0 ? {} : { pins: pinsText(pins.map(({ file }) => pinFromFile(file, base))) }),
    ...(durabilities.length > 0 ? { durabilities: SIDE_BY_SIDE } : {}),
  };
}

/** Return the cluster of today that is stored with a plan, for the address; undefined where there is none. */
export function todayOfPlan({ answer, decided }: SavedPlanAnswer): string | undefined {
  return viewOfDecided(decided, choiceFromDocument(answer.workload).choice).today;
}

/** What was predicted when it was stored, by its text in the address. */
export function storedOf(
  { today, pins }: DecidedAnswer,
  base: Choice,
): Map<string, PredictionAnswer | InfeasibleAnswer> {
  const stored = new Map(pins.map(({ file, answer }) => [pinFromFile(file, base), answer] as const));
  if (today !== null) stored.set(todayFromCluster(today.cluster, base), today.answer);
  return stored;
}
