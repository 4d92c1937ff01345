// A pin in the address: a cluster, and behind it the answers in which its question differs from the form's:
// `98-i2.8xlarge-4-4*durability-application*replicas-3`.

import { clusterFromKey } from "./cluster";

/** Spelled-out phases are the longest answer that there is. */
export const LONGEST_PIN = 9_000;

const BEFORE_ANSWER = "*";
/** What has a meaning in an address of pins, and the sign that escapes it. */
const MARKS = /[%_*]/g;
const ESCAPED = /%(25|5F|2A)/gi;
const ANSWER = /^([a-z]{1,20})-(.*)$/s;

export interface PinText {
  /** The cluster, as `clusterKey` writes it. */
  cluster: string;
  answers: readonly (readonly [field: string, text: string])[];
}

/** Write a pin for the address. */
export function pinText({ cluster, answers }: PinText): string {
  const escaped = (text: string) => text.replace(MARKS, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return [cluster, ...answers.map(([field, text]) => `${field}-${escaped(text)}`)].join(BEFORE_ANSWER);
}

/** Read a pin from the address; of its answers those that can be read. The cluster is not judged here. */
export function pinFrom(text: string): PinText {
  const [cluster = "", ...rest] = text.split(BEFORE_ANSWER);
  const answers = rest.flatMap((part): [string, string][] => {
    const [, field, escaped] = ANSWER.exec(part) ?? [];
    if (field === undefined || escaped === undefined) return [];
    return [[field, escaped.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))]];
  });
  return { cluster, answers };
}

/** Whether a text of the address names a configuration. */
export function isPin(text: string): boolean {
  return text.length <= LONGEST_PIN && clusterFromKey(pinFrom(text).cluster) !== null;
}
