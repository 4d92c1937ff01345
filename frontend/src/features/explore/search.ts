// Address of the Explore page.

import { PURCHASES, type Purchase } from "@/api/catalog/catalogs";
import type { Pace } from "@/lib/useAhead";

/** All of it optional: what is not there is every type of the newest catalog, as it stands there. */
export interface ExploreSearch {
  version?: string;
  region?: string;
  purchase?: Purchase;
  /** What a name must hold. */
  name?: string;
  media?: Media;
  /** Traits that a type must have, separated by commas. */
  traits?: string;
  /** Filters of columns, as people wrote them: `vcpus:>=8;usd_per_hour:<1.5`. */
  where?: string;
  /** A column, with a minus before it for the largest first. */
  sort?: string;
  /** Columns in order, separated by commas, where they are not the usual ones. */
  columns?: string;
  /** Types held against each other, separated by commas. */
  compare?: string;
  /** The plot's axes, where they are not the usual ones. */
  x?: string;
  y?: string;
  scale?: "linear";
  /** The data to be held, for the plot's bands: `100 TB`. */
  size?: string;
  /** The type whose details are open. */
  type?: string;
}

export type ExploreChange = { [key in keyof ExploreSearch]?: string | undefined };

/** Change some of what is shown: to this, or to what a function makes of what is shown now. */
export type Change = (change: ExploreChange | ((now: ExploreSearch) => ExploreChange), pace?: Pace) => void;

/** SSD, HDD, any of them, or none at all. */
const MEDIA = ["ssd", "hdd", "any", "none"] as const;
export type Media = (typeof MEDIA)[number];

export const MOST_COMPARED = 5;
/** Why the box of one more cannot be ticked. */
export const FULL = `${MOST_COMPARED} types are compared already: take one away first`;
const LONGEST_TEXT = 100;
const LONGEST_LIST = 2_000;

const SHORT = ["version", "region", "name", "sort", "x", "y", "size", "type"] as const;
const LONG = ["traits", "where", "columns", "compare"] as const;

/** Keep the valid parts of an address; never fails. */
export function exploreSearchFrom(raw: Record<string, unknown>): ExploreSearch {
  const search: ExploreSearch = {};
  const keep = (keys: readonly (keyof ExploreSearch)[], longest: number) => {
    for (const key of keys) {
      const text = raw[key];
      if (typeof text === "string" && text.trim() !== "") Object.assign(search, { [key]: text.slice(0, longest) });
    }
  };
  keep(SHORT, LONGEST_TEXT);
  keep(LONG, LONGEST_LIST);
  const purchase = PURCHASES.find((known) => known === raw["purchase"]);
  const media = MEDIA.find((known) => known === raw["media"]);
  if (purchase !== undefined && purchase !== "on-demand") search.purchase = purchase;
  if (media !== undefined) search.media = media;
  if (raw["scale"] === "linear") search.scale = "linear";
  return search;
}

/** Change some of it; undefined takes a key away. */
export function withChange(search: ExploreSearch, change: ExploreChange): ExploreSearch {
  return exploreSearchFrom({ ...search, ...change });
}

/** What takes away all that leaves types out. */
export const NO_FILTERS: ExploreChange = { name: undefined, media: undefined, traits: undefined, where: undefined };

export function isFiltered(search: ExploreSearch): boolean {
  return Object.keys(NO_FILTERS).some((key) => search[key as keyof ExploreSearch] !== undefined);
}

/** Read a list of names: each once, no empty ones. */
export function listed(text: string | undefined): string[] {
  const names = (text ?? "").split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

/** Write a list of names; nothing where it is empty. */
export function joined(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(",");
}

/** The filters of columns by name, as they were written. */
export function filtersIn(where: string | undefined): Map<string, string> {
  const pairs = (where ?? "").split(";").map((part): [string, string] => {
    const [column = "", ...text] = part.split(":");
    return [column.trim(), text.join(":")];
  });
  return new Map(pairs.filter(([column, text]) => column !== "" && text.trim() !== ""));
}

/** Put another filter on a column; an empty one takes it away. */
export function withFilter(where: string | undefined, column: string, text: string): string | undefined {
  const filters = filtersIn(where);
  const written = text.replaceAll(";", "");
  if (written.trim() === "") filters.delete(column);
  else filters.set(column, written);
  return filters.size === 0 ? undefined : [...filters].map(([name, filter]) => `${name}:${filter}`).join(";");
}

/**
 * Add a type to those that are compared, or take it away; the sixth is not added.
 *
 * @param isHere whether a type is there to be seen: others take no room
 */
export function toggled(names: readonly string[], name: string, isHere: (name: string) => boolean): string[] {
  if (names.includes(name)) return names.filter((other) => other !== name);
  return isFull(names, isHere) ? [...names] : [...names, name];
}

/** Whether as many are compared as can be. */
export function isFull(names: readonly string[], isHere: (name: string) => boolean): boolean {
  return names.filter(isHere).length >= MOST_COMPARED;
}
