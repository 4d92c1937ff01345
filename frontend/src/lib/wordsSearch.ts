// URL of a page with a list that is searched by words.

export interface WordsSearch {
  search?: string;
}

export const LONGEST_SEARCH = 200;

/** Parse URL search parameters, dropping invalid ones; never throws. */
export function wordsSearchFrom(raw: Record<string, unknown>): WordsSearch {
  const text = typeof raw["search"] === "string" ? raw["search"].slice(0, LONGEST_SEARCH) : "";
  return text.trim() === "" ? {} : { search: text };
}
