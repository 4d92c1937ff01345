import { screen, waitFor, within } from "@testing-library/react";
import { follow } from "@tests/follow";
import { expect, it } from "vitest";
import { sentenceOf } from "@/features/explore/regions/words";

function region(name: string, price_level: number | null, volume_types: string[] = []) {
  const priced = { "on-demand": 12, spot: 0, "1-year": 3, "3-year": 3 };
  return { name, price_level, instance_types: 1_378, basket_types: price_level === null ? 0 : 2, priced, volume_types };
}

const ANSWER = {
  version: "aws-2026-07-06",
  as_of: "2026-07-06",
  reference: "us-east-1",
  basket: ["m6g.2xlarge", "i3en.2xlarge"],
  regions: [region("ap-south-1", 0.92), region("us-east-1", 1, ["gp2", "gp3"]), region("sa-east-1", 1.593)],
};

it("tells the least and the most expensive regions", () => {
  expect(sentenceOf(ANSWER)).toBe(
    "Of 3 regions, ap-south-1 charges the least (−8% against us-east-1) and sa-east-1 the most (+59.3%).",
  );
  const tied = { ...ANSWER, regions: [region("us-east-1", 1), region("us-west-2", 1), region("eu-west-1", 1.1)] };
  expect(sentenceOf(tied)).toBe(
    "Of 3 regions, us-east-1 and us-west-2 charge the least (0% against us-east-1) and eu-west-1 the most (+10%).",
  );
  expect(sentenceOf({ ...ANSWER, regions: [region("us-central1", null)] })).toBe(
    "1 region, whose prices cannot be compared.",
  );
});

it("shows each region with its price level and what it sells, and leads to its instances", async () => {
  const asked = await follow("/catalog/regions?version=aws-2026-07-06");
  const table = await waitFor(() => {
    for (const one of asked) {
      if (one.path.endsWith("/aws-2026-07-06/regions") && !one.isRead()) one.answer(200, ANSWER);
    }
    return screen.getByRole("table");
  });
  const row = within(table).getByRole("row", { name: /us-east-1/ });
  expect(
    within(row)
      .getAllByRole("cell")
      .map((cell) => cell.textContent),
  ).toEqual(["0%", "1,378", "12", "—", "3", "3", "gp2, gp3"]);
  expect(within(row).getByRole("link").getAttribute("href")).toBe(
    "/catalog/instances?version=aws-2026-07-06&region=us-east-1",
  );
  expect(screen.getByText(/on-demand price of m6g.2xlarge and i3en.2xlarge, an hour of each/)).toBeTruthy();
});
