import type { DeploymentFileAnswer } from "@/api/generated";

/** In the order in which they are offered. */
export const FORMATS = ["cloudformation", "terraform", "emr", "boto3", "fio-input-output", "fio-intermediate"] as const;
export type Format = (typeof FORMATS)[number];

export function isFormat(text: string): text is Format {
  return FORMATS.some((format) => format === text);
}

/** As what a file is saved. */
export const TYPES: Record<DeploymentFileAnswer["language"], string> = {
  yaml: "application/yaml",
  hcl: "text/plain",
  json: "application/json",
  python: "text/x-python",
  ini: "text/plain",
};
