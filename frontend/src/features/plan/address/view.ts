// View of an answer in the URL: open details, pins, comparison. It changes no answer.

import { isSort } from "@/api/planning/rankings";
import { isPin, LONGEST_PIN } from "./pinText";

export const TABS = ["time", "money", "certainty", "why", "deploy"] as const;
export type Tab = (typeof TABS)[number];

/** All fields are optional; missing ones have their default. */
export type View = {
  /** Configuration with open details. */
  row?: string;
  tab?: string;
  /** Configuration that the selected one is compared with under “Why not”. */
  why?: string;
  scale?: string;
  /** Up to five configurations, separated by `_`. */
  pins?: string;
  /** The current cluster. */
  today?: string;
  /** Monthly cost of the current cluster as stated by the user: `$2,950`. */
  pays?: string;
  /** `side`: adds the best configuration of each durability to the comparison. */
  durabilities?: string;
  /** Words that every shown row of the ranking contains. */
  find?: string;
  /** Sort column of the ranking, with a minus for descending order; undefined for the original order. */
  sort?: string;
  /** `all`: shows more than the first rows of the ranking. */
  shown?: string;
  /** `open`: shows the answers for other regions. */
  regions?: string;
  /** `open`: shows the answers for every purchase option. */
  purchases?: string;
  /** Id of the saved plan whose question is asked again. */
  again?: string;
};

export type ViewKey = keyof View;
export type ViewChange = { [key in ViewKey]?: string | undefined };

const VIEW_KEYS: readonly ViewKey[] = [
  ...(["row", "tab", "why", "scale", "pins", "today", "pays", "durabilities", "find", "sort", "shown"] as const),
  ...(["regions", "purchases", "again"] as const),
];
export const SIDE_BY_SIDE = "side";
/** Maximum number of pins stored with a plan by the API. */
export const MOST_PINS = 5;
const LONGEST_TEXT = 200;
const LONGEST_AMOUNT = 40;
const BETWEEN_PINS = "_";
const PLAN_ID = /^[0-9a-f-]{36}$/;

/** Parse URL search parameters, dropping invalid ones; never throws. */
export function viewFrom(raw: Record<string, unknown>): View {
  const text = (key: ViewKey) => (typeof raw[key] === "string" ? (raw[key] as string) : "");
  const pins = pinsText(pinsFrom(text("pins")));
  const view: View = {};
  if (text("row") !== "") view.row = text("row").slice(0, LONGEST_PIN);
  if (isTab(text("tab")) && text("tab") !== TABS[0]) view.tab = text("tab");
  if (isPin(text("why"))) view.why = text("why");
  if (text("scale") === "linear") view.scale = "linear";
  if (pins !== "") view.pins = pins;
  if (text("today") !== "") view.today = text("today").slice(0, LONGEST_TEXT);
  if (text("pays") !== "") view.pays = text("pays").slice(0, LONGEST_AMOUNT);
  if (text("durabilities") === SIDE_BY_SIDE) view.durabilities = SIDE_BY_SIDE;
  if (text("find") !== "") view.find = text("find").slice(0, LONGEST_TEXT);
  if (isSort(text("sort"))) view.sort = text("sort");
  if (text("shown") === "all") view.shown = "all";
  if (text("regions") === "open") view.regions = "open";
  if (text("purchases") === "open") view.purchases = "open";
  if (PLAN_ID.test(text("again"))) view.again = text("again");
  return view;
}

/** In the URL of a saved plan: hides the stored value. */
export const NONE = "none";

/** Parse the URL of a saved plan, which may also hide values stored with the plan. */
export function savedViewFrom(raw: Record<string, unknown>): View {
  const view = viewFrom(raw);
  for (const key of ["pins", "today", "pays", "durabilities"] as const) if (raw[key] === NONE) view[key] = NONE;
  return view;
}

/** Change the view within URL parameters that may contain others; undefined removes a key. */
export function withView<Search extends Record<string, unknown>>(search: Search, change: ViewChange): Search {
  const next: Record<string, unknown> = { ...search };
  for (const key of VIEW_KEYS) delete next[key];
  return { ...next, ...viewFrom({ ...search, ...change }) } as Search;
}

export function isTab(text: string | undefined): text is Tab {
  return TABS.some((tab) => tab === text);
}

/** Parse pins from the URL: valid ones only, without duplicates, up to the maximum. */
export function pinsFrom(text: string | undefined): string[] {
  const keys = (text ?? "").split(BETWEEN_PINS).filter(isPin);
  return [...new Set(keys)].slice(0, MOST_PINS);
}

export function pinsText(pins: readonly string[]): string {
  return pins.join(BETWEEN_PINS);
}

/** Pin or unpin a configuration; null if there would be too many pins. */
export function toggled(pins: readonly string[], key: string): string[] | null {
  if (pins.includes(key)) return pins.filter((pin) => pin !== key);
  return pins.length < MOST_PINS ? [...pins, key] : null;
}
