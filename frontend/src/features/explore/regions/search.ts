// URL of the page of regions.

import { type SearchOf, searchOf, text } from "@/lib/address";

/** Without a version, the page shows the newest catalog. */
const PARAMETERS = { version: text(100) };

export type RegionsSearch = SearchOf<typeof PARAMETERS>;
export const regionsSearchFrom = searchOf(PARAMETERS);
