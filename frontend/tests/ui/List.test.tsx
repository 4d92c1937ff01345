import { render, screen } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import { savedPlans } from "@/api/queries";
import { List } from "@/ui/list/List";
import { useRows } from "@/ui/list/useRows";

function Plans({ search }: { search: string }) {
  const list = useRows(savedPlans(search), (page) => page.plans);
  return (
    <div aria-busy={list.query.isFetching}>
      <List
        {...list}
        kept="What was saved is kept."
        empty="No plan is saved."
        filter={{
          active: search !== "",
          none: `No plan holds all of “${search}”.`,
          all: "Show all plans",
          onAll: () => undefined,
          found: (rows) => `${rows} found`,
        }}
        row={({ id, name }) => <li key={id}>{name}</li>}
        label={{ "aria-label": "Saved plans" }}
      />
    </div>
  );
}

/** Show the answer to each search in turn: the names of plans, or null for a failure. */
async function searched(...answers: [search: string, names: readonly string[] | null][]) {
  const asked = stubService();
  const shown = (search: string) => (
    <Surroundings>
      <Plans search={search} />
    </Surroundings>
  );
  const { rerender } = render(<Surroundings>{null}</Surroundings>);
  for (const [place, [search, names]] of answers.entries()) {
    rerender(shown(search));
    await until(() => asked.length > place);
    const plans = names?.map((name) => ({ id: name, name }));
    asked[place]?.answer(plans === undefined ? 500 : 200, { plans, next_cursor: null, detail: "It failed." });
    await until(() => document.querySelector("[aria-busy=true]") === null);
  }
}

it("announces how many rows a search found", async () => {
  await searched(["", ["Nightly sort", "Weekly report"]], ["sort", ["Nightly sort"]]);
  expect(screen.getByRole("status").textContent).toBe("1 found");
});

it("announces no number of rows after a failed search, which keeps those of the search before", async () => {
  await searched(["sort", ["Nightly sort"]], ["report", null]);
  expect(screen.getByRole("alert").textContent).toContain("The list below is the last one read.");
  expect(screen.getByRole("listitem").textContent).toBe("Nightly sort");
  expect(screen.getByRole("status").textContent).toBe("");
});

it("does not call a list empty after a failed search", async () => {
  await searched(["sort", []], ["report", null]);
  expect(screen.getByRole("alert").textContent).toContain("What was saved is kept.");
  expect(screen.queryByText(/No plan/)).toBeNull();
});
