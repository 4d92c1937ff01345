import { expect, it } from "vitest";
import { fewestNodes } from "@/features/plan/configurations/fewest";

// What the service said of 100 TB on these types: one node fewer does not hold it.
it.each([
  ["i3.8xlarge", 4, 7_600, 53],
  ["i3.4xlarge", 2, 3_800, 106],
  ["i3.large", 1, 475, 632],
  ["c5d.24xlarge", 4, 3_600, 112],
])("finds the fewest %s", (_, disks, capacity_gb, nodes) => {
  expect(fewestNodes("100 TB", disks, capacity_gb)).toBe(nodes);
});

it("begins somewhere where nothing is known of the disks", () => {
  expect(fewestNodes("100 TB", 2, null)).toBe(10);
});
