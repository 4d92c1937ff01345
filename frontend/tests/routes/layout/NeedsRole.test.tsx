import { screen, waitFor } from "@testing-library/react";
import { follow } from "@tests/follow";
import { OWNER, VIEWER } from "@tests/session";
import { expect, it } from "vitest";

const MEMBERS = {
  members: [
    { person_id: "1", name: "Ada", email: "ada@example.org", role: "owner" },
    { person_id: "2", name: "Bob", email: "bob@example.org", role: "planner" },
  ],
};

it.each([
  ["/plans/new?data=40+TB&durability=application", "To rank configurations you need to be a planner of Storage"],
  ["/plans/scenarios/new?data=40+TB", "To start a sweep you need to be a planner of Storage"],
  ["/reports/new", "To publish a report you need to be a planner of Storage"],
  ["/benchmarks/runs/new", "To start a run you need to be a contributor of Storage"],
])("says at %s which role is missing, and whom to ask", async (address, words) => {
  const asked = await follow(address, VIEWER);
  const said = await screen.findByTestId("needs-role");
  expect(said.textContent).toContain(`${words}, where you are a viewer.`);
  await waitFor(() => {
    // A page that is loaded on demand is drawn twice, and the first request given up.
    for (const one of asked) if (one.path.endsWith("/members") && !one.isRead()) one.answer(200, MEMBERS);
    expect(said.textContent).toContain("Ask Ada, who can give you the role.");
  });
  expect(`${window.location.pathname}${window.location.search}`).toBe(address);
});

it("tells what the link of a planner asks", async () => {
  await follow("/plans/new?data=40+TB&durability=application", VIEWER);
  const said = await screen.findByTestId("needs-role");
  expect(said.textContent).toContain("The link asks: 40 TB, sort, 2 copies, us-east-1.");
});

it("shows the saved plans where nothing is asked", async () => {
  await follow("/plans/new", VIEWER);
  await waitFor(() => expect(window.location.pathname).toBe("/plans"));
});

it("says of the example team that it is only looked at", async () => {
  await follow("/reports/new?team=example", OWNER);
  expect((await screen.findByTestId("needs-role")).textContent).toContain(
    "To publish a report, go back to your own team.",
  );
});

it("is for those alone who may not", async () => {
  await follow("/plans/new?data=40+TB", OWNER);
  await screen.findByRole("form", { name: "Workload" });
  expect(screen.queryByTestId("needs-role")).toBeNull();
});
