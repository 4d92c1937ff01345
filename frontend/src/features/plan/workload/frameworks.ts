import { useQuery } from "@tanstack/react-query";
import { calibrations } from "@/api/measurements/calibrations";
import { useMay } from "@/api/teams/session";
import { FRAMEWORK_NAMES, frameworkName } from "@/lib/frameworks";
import { counted, moment, percent } from "@/lib/wording";
import type { Options } from "@/ui/forms/fields";
import type { Choice } from "./choice";
import { isHdfs, isShuffling } from "./jobs";

/** Return the name of the default framework of a job, as in `model/usual.py`. */
function defaultFramework({ job, usual }: Choice): string {
  if (usual === "ignored") return FRAMEWORK_NAMES.ideal;
  if (isShuffling(job)) return FRAMEWORK_NAMES.spark;
  return isHdfs(job) ? FRAMEWORK_NAMES["hadoop-dfsio"] : FRAMEWORK_NAMES.ideal;
}

/** Return the display name of the framework that a question is answered for. */
export function frameworkOf(choice: Choice): string {
  return choice.framework === "" ? defaultFramework(choice) : frameworkName(choice.framework);
}

/**
 * Return the framework profiles: the default, the built-in ones, then the team's calibrations with runs, error and
 * date. A calibration of Spark, MapReduce or Flink replaces the published profile.
 */
export function useFrameworks(choice: Choice): Options {
  const { data } = useQuery({ ...calibrations(), enabled: useMay("measurements.read") });
  const own = (data?.calibrations ?? []).filter(({ current }) => current);
  return [
    ["", `Default: ${defaultFramework(choice)}`],
    ...Object.entries(FRAMEWORK_NAMES).filter(([framework]) => !own.some(({ name }) => name === framework)),
    ...own.map(({ name, runs, median_error_pct, created_at }) => {
      const error = `off by ${percent(median_error_pct / 100)}`;
      return [name, `${name}: ${counted(runs, "run")}, ${error}, ${moment(created_at)}`] as const;
    }),
  ];
}
