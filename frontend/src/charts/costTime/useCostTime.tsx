import { type ReactNode, useMemo, useState } from "react";
import { COSTS, TIMES } from "@/charts/drag/steps";
import type { DragChange } from "@/charts/drag/useDrag";
import type { Frame, PlaneFigure } from "@/charts/figure";
import { type Axes, type CostTimeData, costTimeAxes, costTimeFigure, type Limits } from "@/charts/figures/costTime";
import { duration, usd } from "@/lib/wording";
import { LimitLine } from "./LimitLine";

/** Limits of the question, and the callback for drags. */
export interface LimitHandles {
  asked: { deadline: string; budget: string };
  onChange: (limit: "deadline" | "budget", change: DragChange) => void;
  /** Draws the effect of a limit at once, if it can. */
  onMove?: ((limit: "deadline" | "budget", value: number | null) => boolean) | undefined;
}

interface CostTime {
  data: CostTimeData;
  /** Limits that the answer respects. */
  limits: Limits;
  /** Drag handles; limits are read-only without them. */
  handles: LimitHandles | undefined;
  scale: "log" | "linear";
}

/** Build the figure of cost over time, and the limits over it, which can be dragged; the axes stay during a drag. */
export function useCostTime({ data, limits, handles, scale }: CostTime): {
  figure: PlaneFigure;
  over: (frame: Frame) => ReactNode;
} {
  const [held, setHeld] = useState<Axes | null>(null);
  const { deadline_s } = limits;
  // A budget applies to a run, so it is not shown with monthly costs.
  const budget_usd = data.of === "run" ? limits.budget_usd : null;
  const axes = useMemo(
    () => held ?? costTimeAxes(data, { deadline_s, budget_usd }, scale === "log"),
    [held, data, deadline_s, budget_usd, scale],
  );
  const figure = useMemo(
    () => costTimeFigure(data, axes, { deadline_s, budget_usd }),
    [data, axes, deadline_s, budget_usd],
  );
  const over = (frame: Frame) => {
    const common = { frame, onHold: (hold: boolean) => setHeld(hold ? axes : null) };
    return (
      <>
        <LimitLine
          {...common}
          name="deadline"
          along="x"
          value={deadline_s}
          words={duration}
          axis={axes.time}
          scale={TIMES}
          asked={handles?.asked.deadline}
          onChange={handles && ((change) => handles.onChange("deadline", change))}
          onMove={handles?.onMove && ((value) => handles.onMove?.("deadline", value) === true)}
        />
        {data.of === "run" && (
          <LimitLine
            {...common}
            name="budget"
            along="y"
            value={budget_usd}
            words={usd}
            axis={axes.cost}
            scale={COSTS}
            asked={handles?.asked.budget}
            onChange={handles && ((change) => handles.onChange("budget", change))}
            onMove={handles?.onMove && ((value) => handles.onMove?.("budget", value) === true)}
          />
        )}
      </>
    );
  };
  return { figure, over };
}
