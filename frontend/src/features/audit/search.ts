// What the record holds in its address.

export interface RecordSearch {
  search?: string;
}

export const LONGEST_SEARCH = 200;

/** Keep the valid parts of an address; never fails. */
export function recordSearchFrom(raw: Record<string, unknown>): RecordSearch {
  const text = typeof raw["search"] === "string" ? raw["search"].slice(0, LONGEST_SEARCH) : "";
  return text.trim() === "" ? {} : { search: text };
}
