import { expect, it } from "vitest";
import { dollarsIn, secondsIn } from "@/lib/quantity";

it.each([
  ["30 min", 1800],
  ["1 h 30 min", 5400],
  ["1h30min", 5400],
  ["  2 D ", 172_800],
  ["1,000 s", 1000],
  [".5 h", 1800],
])("reads the duration %j", (text, seconds) => expect(secondsIn(text)).toBe(seconds));

it.each(["", "30", "min", "30 parsecs", "30 min and a bit", "0 s", "-3 s"])("does not draw the deadline %j", (text) =>
  expect(secondsIn(text)).toBeNull(),
);

it.each([
  ["$500", 500],
  ["500 USD", 500],
  ["1,500", 1500],
  ["usd 0.5", 0.5],
])("reads the amount %j", (text, amount) => expect(dollarsIn(text)).toBe(amount));

it.each(["", "500 EUR", "$", "0", "1 2"])("does not draw the budget %j", (text) => expect(dollarsIn(text)).toBeNull());
