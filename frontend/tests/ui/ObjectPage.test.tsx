import { useQuery } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import { savedPlan } from "@/api/queries";
import { ObjectPage } from "@/ui/feedback/ObjectPage";

function PlanPage() {
  const query = useQuery(savedPlan("1"));
  return (
    <>
      <button type="button" onClick={() => void query.refetch()}>
        Read again
      </button>
      <p>{query.failureCount} refused</p>
      <ObjectPage query={query} title="Plan" nameOf={({ name }) => name} kind="plan" kept="The plan is kept.">
        {({ name }) => <h1>{name}</h1>}
      </ObjectPage>
    </>
  );
}

function open() {
  const asked = stubService();
  render(
    <Surroundings>
      <PlanPage />
    </Surroundings>,
  );
  const answer = async (place: number, status: number, body: unknown) => {
    await until(() => asked.length > place);
    asked[place]?.answer(status, body);
  };
  return { answer };
}

it.each([404, 422])("keeps an object on the screen that was read before a refusal with status %d", async (status) => {
  const { answer } = open();
  await answer(0, 200, { name: "Nightly sort", answer: plan });
  await screen.findByRole("heading", { name: "Nightly sort" });
  await userEvent.click(screen.getByRole("button", { name: "Read again" }));
  await answer(1, status, { detail: "There is no such plan." });
  await screen.findByText("1 refused");
  expect(screen.getByRole("heading").textContent).toBe("Nightly sort");
  await until(() => document.title === "Nightly sort · Stowage");
});

it("does not find an object that could not be read before", async () => {
  const { answer } = open();
  await answer(0, 404, { detail: "There is no such plan." });
  expect(await screen.findByText(/There is no such plan, or it belongs to another team/)).toBeTruthy();
});
