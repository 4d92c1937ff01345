// Filters as people write them in the head of a column: `>=8`, `<1.5`, `4..16`, `8`, `?` for what is not known.

export type Keeps = (value: number | null) => boolean;

/** A filter that was understood, or what is wrong with it. */
export type Filter = { keeps: Keeps } | { error: string };

/** A comma parts thousands and nothing else: `1,5` is no number, lest it be taken for fifteen. */
const NUMBER = "[+-]?(?:\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+)(?:e[+-]?\\d+)?\\s*[kKmM]?";
const SIGN = ">=|<=|>|<|=|≥|≤";
const BOUND = new RegExp(`^(${SIGN})\\s*(${NUMBER})$`);
const SPAN = new RegExp(`^(${NUMBER})\\s*(?:\\.\\.|–|-|to)\\s*(${NUMBER})$`);
const EXACT = new RegExp(`^${NUMBER}$`);
const BEGUN = new RegExp(
  `^(?:${SIGN}|[+\\-.]|${NUMBER}\\s*(?:\\.|\\.\\.|–|-|to?)|(?:${SIGN})?\\s*(?:\\d{1,3}(?:,\\d{3})*,|\\d+\\.))$`,
);
const COMMA_AS_POINT = /\d,\d{1,2}(?!\d)/;
const THOUSANDS: Record<string, number> = { k: 1e3, K: 1e3, m: 1e6, M: 1e6 };

const HINT = ">=8, <1.5, 4..16, 8";

/** Read a number: `1,250`, `1.5`, `20k`. */
function numberIn(text: string): number {
  const scale = THOUSANDS[text.trim().at(-1) ?? ""] ?? 1;
  return Number(text.replaceAll(",", "").replace(/\s*[kKmM]$/, "")) * scale;
}

const COMPARED: Record<string, (bound: number) => Keeps> = {
  ">=": (bound) => (value) => value !== null && value >= bound,
  "<=": (bound) => (value) => value !== null && value <= bound,
  ">": (bound) => (value) => value !== null && value > bound,
  "<": (bound) => (value) => value !== null && value < bound,
  "=": (bound) => (value) => value !== null && isNear(value, bound),
};

/** Equal as far as anybody writes it down: half a unit of the fourth digit. */
function isNear(value: number, wanted: number): boolean {
  return Math.abs(value - wanted) <= 5e-4 * Math.abs(wanted);
}

/** Read what stands in the head of a column. An empty text keeps everything. */
export function filterFrom(text: string): Filter {
  // A dollar says nothing that the head of the column does not say.
  const bare = text.trim().replaceAll("$", "");
  if (bare === "") return { keeps: () => true };
  // On the way to a filter it is none yet, and nothing is wrong with it.
  if (BEGUN.test(bare)) return { keeps: () => true };
  if (bare === "?") return { keeps: (value) => value === null };
  const bound = BOUND.exec(bare);
  if (bound !== null) {
    const sign = (bound[1] ?? "=").replace("≥", ">=").replace("≤", "<=");
    return judged((COMPARED[sign] ?? COMPARED["="])?.(numberIn(bound[2] ?? "")), [numberIn(bound[2] ?? "")]);
  }
  const span = SPAN.exec(bare);
  if (span !== null) {
    const ends = [numberIn(span[1] ?? ""), numberIn(span[2] ?? "")].sort((a, b) => a - b);
    const [low = 0, high = 0] = ends;
    return judged((value) => value !== null && value >= low && value <= high, ends);
  }
  if (EXACT.test(bare)) return judged(COMPARED["="]?.(numberIn(bare)), [numberIn(bare)]);
  return refused(bare);
}

function refused(text: string): Filter {
  if (COMMA_AS_POINT.test(text)) return { error: "Write 1.5 with a point; a comma parts thousands, as in 1,500" };
  return { error: `Write ${HINT}, or ? for unknown` };
}

function judged(keeps: Keeps | undefined, numbers: readonly number[]): Filter {
  if (keeps === undefined || numbers.some((number) => !Number.isFinite(number))) {
    return refused("");
  }
  return { keeps };
}
