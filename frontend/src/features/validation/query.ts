// Query of the validation, the same for every team.

import { queryOptions } from "@tanstack/react-query";
import { readValidation } from "@/api/generated";
import { answered } from "@/api/problem";
import { retryUnreachable } from "@/api/queries";

export const validation = queryOptions({
  queryKey: ["validation"],
  queryFn: ({ signal }) => answered(readValidation({ signal })),
  refetchInterval: retryUnreachable,
});
