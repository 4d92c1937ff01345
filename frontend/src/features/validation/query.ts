// Query of the validation, the same for every team.

import { readValidation } from "@/api/generated";
import { requested } from "@/api/requests";

export const validation = requested(["validation"], readValidation);
