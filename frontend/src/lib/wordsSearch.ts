// URL of a page with a list that is searched by words.

import { type SearchOf, searchOf, text } from "./address";

export const LONGEST_SEARCH = 200;

const PARAMETERS = { search: text(LONGEST_SEARCH) };

export type WordsSearch = SearchOf<typeof PARAMETERS>;
export const wordsSearchFrom = searchOf(PARAMETERS);
