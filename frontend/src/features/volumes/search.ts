// URL of the volume designer: its fields as typed, and the selected type.

import type { FieldProblem, VolumeNeed } from "@/api/generated";
import { searchOf, text, typed } from "@/lib/address";
import { withTodaysNames } from "@/lib/oldNames";

export const DEFAULTS = {
  capacity: "1 TiB",
  iops: "4,000",
  throughput: "",
  io: "",
  pattern: "random",
  lasts: "24 h",
  credits: "full",
  region: "us-east-1",
  catalog: "latest",
  instance: "",
  most: "",
  have: "",
  count: "1",
  size: "",
  haveIops: "",
  haveThroughput: "",
} as const;

export type Field = keyof typeof DEFAULTS;
export type Question = Record<Field, string>;

export const FIELDS = Object.keys(DEFAULTS) as Field[];

const parse = searchOf({ ...typed(DEFAULTS, 200), type: text(200) });

/** URL search parameters: the fields, and the volume type with the shown day. */
export type VolumesSearch = ReturnType<typeof parse>;

/** Parse URL search parameters, dropping invalid ones; never throws. */
export function volumesSearchFrom(raw: Record<string, unknown>): VolumesSearch {
  return parse(withTodaysNames(raw));
}

/** Return the question in the URL, with defaults for missing fields. */
export function questionOf(search: VolumesSearch): Question {
  return Object.fromEntries(FIELDS.map((field) => [field, search[field] ?? DEFAULTS[field]])) as Question;
}

/** Build the search parameters of a question, keeping the selected type. */
export function searchWith(question: Question, type: string | undefined): VolumesSearch {
  return volumesSearchFrom({ ...question, type });
}

/** Convert a whole number for the API; other text is passed on for the API to validate. */
function counted(text: string): number {
  const bare = text.trim().replaceAll(",", "");
  return /^-?\d+$/.test(bare) ? Number(bare) : (text as unknown as number);
}

/** Convert the question for the API, without empty fields. */
export function needOf(question: Question): VolumeNeed {
  const given = (name: string, text: string) => (text.trim() === "" ? {} : { [name]: text.trim() });
  const number = (name: string, text: string) => (text.trim() === "" ? {} : { [name]: counted(text) });
  return {
    capacity: question.capacity,
    ...given("iops", question.iops),
    ...given("throughput", question.throughput),
    ...given("io_size", question.io),
    // The URL may contain any text; the API validates it.
    pattern: question.pattern as NonNullable<VolumeNeed["pattern"]>,
    lasts: question.lasts,
    credits: question.credits,
    place: { region: question.region, catalog: question.catalog },
    ...given("instance", question.instance),
    ...number("most_volumes", question.most),
    ...(question.have === ""
      ? {}
      : {
          present: {
            type: question.have,
            size: question.size,
            count: counted(question.count),
            ...number("iops", question.haveIops),
            ...number("throughput_mib_per_s", question.haveThroughput),
          },
        }),
  };
}

const FIELD_OF: Record<string, Field> = {
  capacity: "capacity",
  iops: "iops",
  throughput: "throughput",
  io_size: "io",
  pattern: "pattern",
  lasts: "lasts",
  credits: "credits",
  "place.region": "region",
  "place.catalog": "catalog",
  instance: "instance",
  most_volumes: "most",
  "present.type": "have",
  "present.size": "size",
  "present.count": "count",
  "present.iops": "haveIops",
  "present.throughput_mib_per_s": "haveThroughput",
};

export interface Remarks {
  fields: Partial<Record<Field, string>>;
  /** Problems without a field in the form. */
  elsewhere: readonly FieldProblem[];
}

/** Assign the problems reported by the API to the fields. */
export function remarksFrom(problems: readonly FieldProblem[]): Remarks {
  const remarks: Remarks = { fields: {}, elsewhere: problems.filter(({ path }) => FIELD_OF[path] === undefined) };
  for (const { path, message } of problems) {
    const field = FIELD_OF[path];
    if (field !== undefined) remarks.fields[field] = message;
  }
  return remarks;
}
