import { renderHook } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { OWNER, VIEWER } from "@tests/session";
import { expect, it } from "vitest";
import { pagesFor } from "@/features/search/entries";
import { usePages, useSections } from "@/routes/layout/pages";
import { entryOf } from "@/routes/layout/SearchButton";

function found(text: string, as = OWNER): string[] {
  const { result } = renderHook(() => [...usePages(), ...useSections()].map(entryOf), {
    wrapper: ({ children }) => <Surroundings as={as}>{children}</Surroundings>,
  });
  return pagesFor(result.current, text).map(({ id }) => id);
}

it.each([
  ["limit", "/settings/team#quotas"],
  ["quota", "/settings/team#quotas"],
  ["invite", "/settings/team#invitations"],
  ["load", "/settings/team#load"],
  ["token", "/settings/tokens"],
  ["api key", "/settings/tokens"],
  ["currency", "/settings/units"],
  ["discount", "/settings/price-terms"],
])("finds settings by the word %s", (text, id) => {
  expect(found(text)).toContain(id);
});

it("names no section that the reader may not use", () => {
  expect(found("invite", VIEWER)).not.toContain("/settings/team#invitations");
});
