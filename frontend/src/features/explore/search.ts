// URL of the page Instances.

import { PURCHASES } from "@/api/catalog/catalogs";
import { oneOf, type SearchOf, searchOf, text } from "@/lib/address";
import type { Pace } from "@/lib/useAhead";

/** SSD, HDD, either, or no disks. */
const MEDIA = ["ssd", "hdd", "any", "none"] as const;
export type Media = (typeof MEDIA)[number];
export const MEDIA_WORDS: Record<Media, string> = {
  any: "With disks",
  ssd: "With SSDs",
  hdd: "With hard disks",
  none: "Without disks",
};

const name = text(100);
const list = text(2_000);

/** Without filters, the page shows the storage-optimized types with SSDs of the current generation (`OPENING`). */
const PARAMETERS = {
  version: name,
  region: name,
  /** Text that a name must contain. */
  name,
  /** Sort column, with a leading minus for descending order. */
  sort: name,
  /** Axes of the plot, if not the default ones. */
  x: name,
  y: name,
  /** Data size for the bands of the plot: `100 TB`. */
  size: name,
  /** Type with open details. */
  type: name,
  /** Required traits, comma-separated. */
  traits: list,
  /** Column filters as typed: `vcpus:>=8;usd_per_hour:<1.5`. */
  where: list,
  /** Visible columns in order, comma-separated, if not the default ones. */
  columns: list,
  /** Compared types, comma-separated. */
  compare: list,
  purchase: oneOf(PURCHASES, "on-demand"),
  media: oneOf(MEDIA),
  /** Only storage-optimized families, or explicitly all. */
  series: oneOf(["storage", "all"]),
  generation: oneOf(["current"]),
  /** Number of the first row of the displayed page, from 1. */
  from: text(6),
  scale: oneOf(["linear"]),
};

export type ExploreSearch = SearchOf<typeof PARAMETERS>;
export const exploreSearchFrom = searchOf(PARAMETERS);

export type ExploreChange = { [key in keyof ExploreSearch]?: string | undefined };

/** Update the URL parameters with an object, or with a function of the current ones. */
export type Change = (change: ExploreChange | ((now: ExploreSearch) => ExploreChange), pace?: Pace) => void;

export const MOST_COMPARED = 5;
/** Reason why another type cannot be selected. */
export const FULL = `${MOST_COMPARED} types are compared already: take one away first`;

/** Keys of the filters. */
const FILTERS = ["name", "media", "traits", "where", "series", "generation"] as const;
const PAGED: readonly string[] = [...FILTERS, "sort", "region", "version", "purchase"];

/** Filters that apply if the address has none. */
export const OPENING: ExploreChange = { series: "storage", generation: "current", media: "ssd" };

/** Check if a change is one of filters. */
export function changesFilters(change: ExploreChange): boolean {
  return FILTERS.some((key) => key in change);
}

/** Check if the address has no filter, so that `OPENING` applies. */
export function isOpening(search: ExploreSearch): boolean {
  return FILTERS.every((key) => search[key] === undefined);
}

/**
 * Apply changes to the parameters; undefined removes a key. A change of the rows shows their first page. Removing the
 * last filter shows all types.
 */
export function withChange(search: ExploreSearch, change: ExploreChange): ExploreSearch {
  const page = Object.keys(change).some((key) => PAGED.includes(key)) ? { from: undefined } : {};
  const changed = exploreSearchFrom({ ...search, ...page, ...change });
  const unfiltered = changesFilters(change) && isOpening(changed);
  return unfiltered ? { ...changed, series: "all" } : changed;
}

/** Change that removes every filter. */
export const NO_FILTERS: ExploreChange = Object.fromEntries(FILTERS.map((key) => [key, undefined]));

export function isFiltered(search: ExploreSearch): boolean {
  return FILTERS.some((key) => search[key] !== undefined && search[key] !== "all");
}

/** Parse a comma-separated list of names, without duplicates and empty names. */
export function listed(text: string | undefined): string[] {
  const names = (text ?? "").split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

/** Format a comma-separated list of names; undefined if it is empty. */
export function joined(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(",");
}

/** Parse the column filters by column name, as typed. */
export function filtersIn(where: string | undefined): Map<string, string> {
  const pairs = (where ?? "").split(";").map((part): [string, string] => {
    const [column = "", ...text] = part.split(":");
    return [column.trim(), text.join(":")];
  });
  return new Map(pairs.filter(([column, text]) => column !== "" && text.trim() !== ""));
}

/** Set the filter of a column; an empty text removes it. */
export function withFilter(where: string | undefined, column: string, text: string): string | undefined {
  const filters = filtersIn(where);
  const written = text.replaceAll(";", "");
  if (written.trim() === "") filters.delete(column);
  else filters.set(column, written);
  return filters.size === 0 ? undefined : [...filters].map(([name, filter]) => `${name}:${filter}`).join(";");
}

/**
 * Add a type to the comparison or remove it; a sixth type is not added.
 *
 * @param isHere checks if a type exists in the table; others do not count toward the limit
 */
export function toggled(names: readonly string[], name: string, isHere: (name: string) => boolean): string[] {
  if (names.includes(name)) return names.filter((other) => other !== name);
  return isFull(names, isHere) ? [...names] : [...names, name];
}

/** Check if the comparison is full. */
export function isFull(names: readonly string[], isHere: (name: string) => boolean): boolean {
  return names.filter(isHere).length >= MOST_COMPARED;
}
