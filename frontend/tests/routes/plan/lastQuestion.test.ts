import { beforeEach, expect, it } from "vitest";
import { lastQuestion, rememberQuestion } from "@/routes/plan/lastQuestion";

beforeEach(() => {
  window.history.replaceState(null, "", "/");
  rememberQuestion({});
});

it("recalls what was asked and compared with, and not which details were open", () => {
  expect(lastQuestion()).toEqual({});
  rememberQuestion({ data: "40 TB", deadline: "2 h", row: "60-i3.4xlarge-own", today: "60-i3.4xlarge-own" });
  expect(lastQuestion()).toEqual({ data: "40 TB", deadline: "2 h", today: "60-i3.4xlarge-own" });
});

it("keeps the question of one team from another", () => {
  rememberQuestion({ data: "40 TB" });
  window.history.replaceState(null, "", "/?team=example");
  expect(lastQuestion()).toEqual({});
});
