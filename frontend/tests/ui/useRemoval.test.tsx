import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import { deletePlan, restorePlan } from "@/api/generated";
import { UndoProvider } from "@/ui/feedback/Undo";
import { useRemoval } from "@/ui/feedback/useRemoval";

function Removing() {
  const removing = useRemoval({
    words: "“Nightly sort” is deleted.",
    path: { plan_id: "1" },
    remove: deletePlan,
    restore: restorePlan,
    queryKey: ["plans"],
  });
  return (
    <button type="button" onClick={() => removing.mutate()}>
      Delete
    </button>
  );
}

it("restores in the team of the removal, even if the page shows another one by then", async () => {
  window.history.replaceState(null, "", "/?team=example");
  const asked = stubService();
  render(
    <Surroundings>
      <UndoProvider>
        <Removing />
      </UndoProvider>
    </Surroundings>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  await until(() => asked.length > 0);
  asked[0]?.answer(204, null);
  const undo = await screen.findByRole("button", { name: "Undo" });
  window.history.replaceState(null, "", "/");
  await userEvent.click(undo);
  await until(() => asked.length > 1);
  expect(asked.map(({ path }) => path)).toEqual(["/api/v1/plans/1", "/api/v1/plans/1/restore"]);
  expect(asked.map(({ search }) => search.get("team"))).toEqual(["example", "example"]);
});
