// View of an answer in the address: open details, pins, comparison. It changes no answer.

import { isSort } from "@/api/planning/rankings";
import { isPin, LONGEST_PIN } from "./pinText";

export const TABS = ["time", "money", "certainty", "why", "deploy"] as const;
export type Tab = (typeof TABS)[number];

/** All fields are optional; missing ones have their default. */
export type View = {
  /** The configuration whose details are open. */
  row?: string;
  tab?: string;
  /** The configuration that the chosen one is held against under “Why not”. */
  why?: string;
  scale?: string;
  /** Up to five configurations, `_` between them. */
  pins?: string;
  /** The configuration that runs today. */
  today?: string;
  /** `side`: the best of each durability in the comparison. */
  durabilities?: string;
  /** Words that every row of the ranking shown holds. */
  find?: string;
  /** The column that the ranking is sorted by, with a minus for descending; without, it is in its own order. */
  sort?: string;
  /** `all`: the ranking beyond what one takes in at a glance. */
  shown?: string;
  /** `open`: what other regions answer. */
  regions?: string;
};

export type ViewKey = keyof View;
export type ViewChange = { [key in ViewKey]?: string | undefined };

const VIEW_KEYS: readonly ViewKey[] = [
  ...(["row", "tab", "why", "scale", "pins", "today", "durabilities", "find", "sort", "shown", "regions"] as const),
];
export const SIDE_BY_SIDE = "side";
/** As many as the service stores with a plan. */
export const MOST_PINS = 5;
const LONGEST_TEXT = 200;
const BETWEEN_PINS = "_";

/** Keep the valid parts of an address; never fails. */
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
  if (text("durabilities") === SIDE_BY_SIDE) view.durabilities = SIDE_BY_SIDE;
  if (text("find") !== "") view.find = text("find").slice(0, LONGEST_TEXT);
  if (isSort(text("sort"))) view.sort = text("sort");
  if (text("shown") === "all") view.shown = "all";
  if (text("regions") === "open") view.regions = "open";
  return view;
}

/** In the address of a saved plan: there is none, although the plan is stored with one. */
export const NONE = "none";

/** The same for a saved plan, whose address may say that something stored with it is not looked at. */
export function savedViewFrom(raw: Record<string, unknown>): View {
  const view = viewFrom(raw);
  for (const key of ["pins", "today", "durabilities"] as const) if (raw[key] === NONE) view[key] = NONE;
  return view;
}

/** Change some of a view, within an address that may hold more; undefined takes a key away. */
export function withView<Search extends Record<string, unknown>>(search: Search, change: ViewChange): Search {
  const next: Record<string, unknown> = { ...search };
  for (const key of VIEW_KEYS) delete next[key];
  return { ...next, ...viewFrom({ ...search, ...change }) } as Search;
}

export function isTab(text: string | undefined): text is Tab {
  return TABS.some((tab) => tab === text);
}

/** Read pins from the address: known words only, each once, no more than there may be. */
export function pinsFrom(text: string | undefined): string[] {
  const keys = (text ?? "").split(BETWEEN_PINS).filter(isPin);
  return [...new Set(keys)].slice(0, MOST_PINS);
}

export function pinsText(pins: readonly string[]): string {
  return pins.join(BETWEEN_PINS);
}

/** Pin what is not pinned, unpin what is; null where one more would be too many. */
export function toggled(pins: readonly string[], key: string): string[] | null {
  if (pins.includes(key)) return pins.filter((pin) => pin !== key);
  return pins.length < MOST_PINS ? [...pins, key] : null;
}
