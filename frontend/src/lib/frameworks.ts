/** Display names of the packaged frameworks, by their name in a workload file. */
export const FRAMEWORK_NAMES = {
  spark: "Spark",
  "hadoop-mapreduce": "Hadoop MapReduce",
  flink: "Flink",
  "hadoop-dfsio": "HDFS (TestDFSIO)",
  ideal: "Hardware limits",
  unknown: "Other (wide range)",
} as const;

/** Return the display name of a framework; names of calibrations are unchanged. */
export function frameworkName(framework: string): string {
  return (FRAMEWORK_NAMES as Record<string, string>)[framework] ?? framework;
}
