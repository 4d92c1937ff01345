// Stored measurements and verdicts.

import { type Judgement, listMeasurements, type MeasurementSummaryAnswer, readMeasurement } from "@/api/generated";
import { TOOLS as KNOWN_TOOLS } from "@/api/generated/registry.gen";
import { FRESH, ofTeam, pagesOfTeam } from "@/api/requests";
import { currentTeam } from "@/api/team";

export type {
  HeadlineAnswer as Headline,
  Judgement,
  MeasurementAnswer as Measurement,
  MeasurementSummaryAnswer as MeasurementRow,
  MetricAnswer as Metric,
  Reason,
  Target,
} from "@/api/generated";

export type Verdict = Judgement["verdict"];
export type Tool = MeasurementSummaryAnswer["tool"];

export const VERDICTS: readonly Verdict[] = ["good", "doubtful", "rejected"];
export const TOOLS: readonly Tool[] = KNOWN_TOOLS.map(({ name }) => name);

/** Filters of the list; an empty value matches everything. */
export interface MeasurementsAsked {
  search: string;
  tool: Tool | "";
  verdict: Verdict | "";
}

const PAGE = 30;

export function measurementsKey() {
  return ["measurements", currentTeam()];
}

export function measurements({ search, tool, verdict }: MeasurementsAsked) {
  const asked = {
    ...(search === "" ? {} : { search }),
    ...(tool === "" ? {} : { tool }),
    ...(verdict === "" ? {} : { verdict }),
  };
  return pagesOfTeam(["measurements", "list", asked], ({ query, signal }) =>
    listMeasurements({ query: { ...query, limit: PAGE, ...asked }, signal }),
  );
}

export function measurement(id: string) {
  return ofTeam(
    ["measurements", "one", id],
    (request) => readMeasurement({ path: { measurement_id: id }, ...request }),
    FRESH,
  );
}
