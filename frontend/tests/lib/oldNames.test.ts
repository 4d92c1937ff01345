import { expect, test } from "vitest";
import { searchFrom } from "@/features/plan/workload/choice";
import { volumesSearchFrom } from "@/features/volumes/search";
import { withTodaysNames } from "@/lib/oldNames";

test("an address shared before the rename names the same catalog", () => {
  expect(searchFrom({ catalogue: "paper-2014" })).toEqual({ catalog: "paper-2014" });
  expect(volumesSearchFrom({ catalogue: "paper-2014" })).toEqual({ catalog: "paper-2014" });
});

test("today's name wins where an address has both", () => {
  expect(withTodaysNames({ catalogue: "paper-2014", catalog: "latest" })["catalog"]).toBe("latest");
  expect(withTodaysNames({ region: "us-east-1" })).toEqual({ region: "us-east-1" });
});
