// A pin in the URL: a cluster, followed by the answers that differ from the form's:
// `98-i2.8xlarge-4-4*durability-application*replicas-3`.

import { clusterFromKey } from "./cluster";

/** Explicit phases are the longest possible answer. */
export const LONGEST_PIN = 9_000;

const BEFORE_ANSWER = "*";
/** Separators of pins in the URL, and the escape character. */
const MARKS = /[%_*]/g;
const ESCAPED = /%(25|5F|2A)/gi;
const ANSWER = /^([a-z]{1,20})-(.*)$/s;

export interface PinText {
  /** The cluster, as formatted by `clusterKey`. */
  cluster: string;
  answers: readonly (readonly [field: string, text: string])[];
}

/** Format a pin for the URL. */
export function pinText({ cluster, answers }: PinText): string {
  const escaped = (text: string) => text.replace(MARKS, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return [cluster, ...answers.map(([field, text]) => `${field}-${escaped(text)}`)].join(BEFORE_ANSWER);
}

/** Parse a pin from the URL, skipping invalid answers. The cluster is not validated. */
export function pinFrom(text: string): PinText {
  const [cluster = "", ...rest] = text.split(BEFORE_ANSWER);
  const answers = rest.flatMap((part): [string, string][] => {
    const [, field, escaped] = ANSWER.exec(part) ?? [];
    if (field === undefined || escaped === undefined) return [];
    return [[field, escaped.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))]];
  });
  return { cluster, answers };
}

/** Check if a text from the URL names a configuration. */
export function isPin(text: string): boolean {
  return text.length <= LONGEST_PIN && clusterFromKey(pinFrom(text).cluster) !== null;
}
