import { act, renderHook, waitFor } from "@testing-library/react";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { expect, it } from "vitest";
import type { PlanAnswer } from "@/api/generated";
import { clusterKey } from "@/features/plan/address/cluster";
import { useConfigurations } from "@/features/plan/configurations/useConfigurations";

const ANSWER = plan as unknown as PlanAnswer;

it("adds sources, courses and causes to a row whose details are open", async () => {
  const [first] = ANSWER.configurations;
  if (first === undefined) throw new Error("the plan has no rows");
  const asked = stubService();
  const row = { ...first, causes: [], courses: [], provenance: [], sources: false };
  const key = clusterKey(row);
  const { result } = renderHook(
    () => useConfigurations({ configurations: [row] }, ANSWER.workload, [key], { detailed: key }),
    { wrapper: Surroundings },
  );
  const predictions = () => asked.filter(({ path }) => path.endsWith("/predictions"));
  await waitFor(() => expect(predictions()).toHaveLength(1));
  const causes = [{ name: "CPU", time_s: 5 }];
  act(() => predictions()[0]?.answer(200, { ...first, causes, feasible: true, sentence: "" }));
  await waitFor(() => expect(result.current[0]?.configuration).toMatchObject({ causes, sources: true }));
});
