import { renderHook } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import { usePlanChanges } from "@/features/plans/usePlanChanges";

it.each([
  ["/?team=example", "example"],
  ["/", null],
] as const)("renames a plan in the team of the address %s", async (address, team) => {
  window.history.replaceState(null, "", address);
  const asked = stubService();
  const { result } = renderHook(() => usePlanChanges({ id: "1", name: "Nightly sort" }), { wrapper: Surroundings });
  const renamed = result.current.rename("Weekly sort");
  await until(() => asked.length > 0);
  asked[0]?.answer(200, { id: "1", name: "Weekly sort" });
  await renamed;
  expect(asked[0]).toMatchObject({ path: "/api/v1/plans/1", body: { name: "Weekly sort" } });
  expect(asked[0]?.search.get("team")).toBe(team);
});
