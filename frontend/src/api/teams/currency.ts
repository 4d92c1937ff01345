// Currency in which the team of the session also sees its sums, with its stated rate.

import { readCurrency } from "@/api/generated";
import { FRESH, requested } from "@/api/requests";

export const teamCurrency = requested(["currency"], readCurrency, FRESH);
