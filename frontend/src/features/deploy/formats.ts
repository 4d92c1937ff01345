import type { DeploymentFile } from "@/api/generated";

/** Deployment formats, in display order. */
export const FORMATS = ["cloudformation", "terraform", "emr", "boto3", "fio-input-output", "fio-intermediate"] as const;
export type Format = (typeof FORMATS)[number];

export function isFormat(text: string): text is Format {
  return FORMATS.some((format) => format === text);
}

/** MIME types of the downloaded files. */
export const TYPES: Record<DeploymentFile["language"], string> = {
  yaml: "application/yaml",
  hcl: "text/plain",
  json: "application/json",
  python: "text/x-python",
  ini: "text/plain",
};
