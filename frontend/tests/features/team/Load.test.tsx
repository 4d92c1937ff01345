import { act, render, screen } from "@testing-library/react";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import { Load } from "@/features/team/Load";

it.each([
  [0.0006, "idle", "Idle, under 1%"],
  [3.3, "heavy", "Heavy, 55%"],
  [9, "paused", "Paused while other teams work, 150%"],
] as const)("states a load of %s s in a word and in percent", async (cpu_s, level, words) => {
  const asked = stubService();
  render(
    <Surroundings>
      <Load />
    </Surroundings>,
  );
  await until(() => asked.length > 0);
  act(() => asked[0]?.answer(200, { jobs: [], streams: 1, cpu_s, level, half_life_s: 30, free_cpu_s: 6 }));
  const bar = await screen.findByRole("progressbar", { name: "CPU time used" });
  expect(bar.getAttribute("aria-valuetext")).toBe(words);
  screen.getByText(/1 open page with live progress\./);
});
