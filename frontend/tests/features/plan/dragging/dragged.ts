import { valueAt } from "@/charts/axes/axis";
import { rounded } from "@/charts/drag/steps";
import { SLIDERS } from "@/features/plan/form/sliders";

/** All values that the pointer reaches on a slider, as the service parses them. */
export function axisOf(field: "deadline" | "budget"): number[] {
  const { axis, scale, read } = SLIDERS[field];
  const values = Array.from({ length: 2_001 }, (_, place) => rounded(valueAt(place / 2_000, axis), scale));
  return [...new Set(values)].map((value) => read(scale.written(value)) ?? Number.NaN);
}
