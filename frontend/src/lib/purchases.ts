// Purchase options: names, and their price columns.

import type { Purchase } from "@/api/catalog/catalogs";

export const PURCHASE_WORDS: Record<Purchase, string> = {
  "on-demand": "On demand",
  spot: "Spot",
  "1-year": "1-year commitment (RI, no upfront)",
  "3-year": "3-year commitment (RI, all upfront)",
};

/** Price column of the catalog, also the quantity in an instance type's figures. */
export const PRICE_OF: Record<Purchase, string> = {
  "on-demand": "usd_per_hour",
  spot: "spot_usd_per_hour",
  "1-year": "one_year_usd_per_hour",
  "3-year": "three_year_usd_per_hour",
};
