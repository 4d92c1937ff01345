// Price terms of the team of the session: discounts on published prices.

import { readPriceTerms } from "@/api/generated";
import { FRESH, requested } from "@/api/requests";

export const priceTerms = requested(["price terms"], readPriceTerms, FRESH);
