// URL of the Explore page.

import { PURCHASES } from "@/api/catalog/catalogs";
import { oneOf, type SearchOf, searchOf, text } from "@/lib/address";
import type { Pace } from "@/lib/useAhead";

/** SSD, HDD, either, or no disks. */
const MEDIA = ["ssd", "hdd", "any", "none"] as const;
export type Media = (typeof MEDIA)[number];

const name = text(100);
const list = text(2_000);

/** Without parameters, the page shows every type of the newest catalog in default order. */
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

/** Apply changes to the parameters; undefined removes a key. */
export function withChange(search: ExploreSearch, change: ExploreChange): ExploreSearch {
  return exploreSearchFrom({ ...search, ...change });
}

/** Change that removes every filter. */
export const NO_FILTERS: ExploreChange = { name: undefined, media: undefined, traits: undefined, where: undefined };

export function isFiltered(search: ExploreSearch): boolean {
  return Object.keys(NO_FILTERS).some((key) => search[key as keyof ExploreSearch] !== undefined);
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
