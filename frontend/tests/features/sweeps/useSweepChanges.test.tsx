import { act, renderHook, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import type { ReactNode } from "react";
import { expect, it } from "vitest";
import { useSweepChanges } from "@/features/sweeps/useSweepChanges";
import { UndoProvider } from "@/ui/feedback/Undo";

function WithUndo({ children }: { children: ReactNode }) {
  return (
    <Surroundings>
      <UndoProvider>{children}</UndoProvider>
    </Surroundings>
  );
}

function open(address: string) {
  window.history.replaceState(null, "", address);
  const asked = stubService();
  const { result } = renderHook(() => useSweepChanges({ id: "1", name: "Nodes by data" }), { wrapper: WithUndo });
  return { asked, changes: result.current };
}

const ADDRESSES = [
  ["/?team=example", "example"],
  ["/", null],
] as const;

it.each(ADDRESSES)("renames a sweep in the team of the address %s", async (address, team) => {
  const { asked, changes } = open(address);
  const renamed = changes.rename("Data by nodes");
  await until(() => asked.length > 0);
  asked[0]?.answer(200, { id: "1", name: "Data by nodes" });
  await renamed;
  expect(asked[0]).toMatchObject({ path: "/api/v1/sweeps/1", body: { name: "Data by nodes" } });
  expect(asked[0]?.search.get("team")).toBe(team);
});

it.each(ADDRESSES)("removes and restores a sweep in the team of the address %s", async (address, team) => {
  const { asked, changes } = open(address);
  act(() => changes.deleting.mutate());
  await until(() => asked.length > 0);
  asked[0]?.answer(204, null);
  await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
  await until(() => asked.length > 1);
  expect(asked.map(({ path }) => path)).toEqual(["/api/v1/sweeps/1", "/api/v1/sweeps/1/restore"]);
  expect(asked.map(({ search }) => search.get("team"))).toEqual([team, team]);
});
