import { act, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { useState } from "react";
import { expect, it } from "vitest";
import type { Guess } from "@/api/measurements/uploads";
import { ApiProblem } from "@/api/problem";
import { refusedFields, refusedWords } from "@/features/measurements/review/review";
import { TargetForm } from "@/features/measurements/review/TargetForm";
import { type Draft, EMPTY, targetOf, withoutEmpty } from "@/features/measurements/review/target";

const NOT_KNOWN = { value: null, why: null };
const NOTHING: Guess = {
  ...{ instance: NOT_KNOWN, region: NOT_KNOWN, zone: NOT_KNOWN, storage: NOT_KNOWN, nodes: NOT_KNOWN },
  placement_group: NOT_KNOWN,
};
const NEEDS = (["instance", "region", "storage"] as const).map((field) => ({ field, words: field, accepted: "" }));

it("puts what the service says of a target at its field, without the path", () => {
  const words = "4 disks are too many: i8g.8xlarge has 2 of its own";
  const judged = new ApiProblem(422, { errors: [{ path: "target.storage.disks", message: words }] });
  expect(refusedFields(judged)).toEqual({ disks: `${words}.` });
  const kept = new ApiProblem(422, { errors: [{ path: "readings.0.target.storage.disks", message: words }] });
  expect(refusedFields(kept)).toEqual({ disks: `${words}.` });
  expect(refusedWords(kept)).toEqual([`${words}.`]);
  expect(refusedFields(new Error("offline"))).toEqual({});
});

it("shows no message about a field that is still empty", () => {
  const draft: Draft = { ...EMPTY, storage: "instance-store", nodes: "some" };
  const { problems } = targetOf(draft, NEEDS);
  expect(Object.keys(problems).toSorted()).toEqual(["disks", "instance", "nodes", "region"]);
  expect(Object.keys(withoutEmpty(problems, draft))).toEqual(["nodes"]);
});

function Form() {
  const [draft, setDraft] = useState<Draft>({ ...EMPTY, region: "us-east-1", storage: "instance-store" });
  return (
    <TargetForm
      label="What was measured"
      draft={draft}
      needs={NEEDS}
      guess={NOTHING}
      problems={{}}
      onChange={(change) => setDraft((now) => ({ ...now, ...change }))}
    />
  );
}

it("fills in the disks of the instance type, and leaves what was entered", async () => {
  const asked = stubService();
  const answer = async (path: string, body: unknown) => {
    await until(() => asked.some((one) => one.path === path));
    act(() => asked.find((one) => one.path === path)?.answer(200, body));
  };
  render(<Form />, { wrapper: Surroundings });
  const version = { version: "v", provider: "aws", searchable: true, regions: [{ name: "us-east-1" }] };
  await answer("/api/v1/catalogs", { catalogs: [version], next_cursor: null });
  const types = ["i8g.8xlarge", "i3.8xlarge", "c5.large"];
  await answer("/api/v1/catalogs/v/regions/us-east-1", { instance_types: types, volume_types: [] });
  const user = userEvent.setup();
  const disks = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Disks that took part" });
  const choose = async (name: string, count: number) => {
    const field = screen.getByRole("combobox", { name: "Instance type" });
    await user.clear(field);
    await user.type(field, name);
    await answer(`/api/v1/catalogs/v/regions/us-east-1/instance-types/${name}`, {
      name,
      figures: [{ quantity: `${name}.disk_count`, value: count, unit: "1", source: "", kind: "published" }],
    });
  };
  await choose("i8g.8xlarge", 2);
  await waitFor(() => expect(disks().value).toBe("2"));
  expect(screen.getByText("i8g.8xlarge has 2 disks of its own.")).toBeDefined();
  await choose("i3.8xlarge", 4);
  await waitFor(() => expect(disks().value).toBe("4"));
  await user.clear(disks());
  await user.type(disks(), "1");
  expect(disks().value).toBe("1");
  await choose("c5.large", 0);
  await screen.findByText("c5.large has no disks of its own: choose EBS volumes.");
  expect(disks().value).toBe("1");
}, 20_000);
