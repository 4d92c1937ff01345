import { useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type CSSProperties, useCallback, useMemo, useState } from "react";
import { COSTS, TIMES } from "@/charts/drag/steps";
import type { DragChange } from "@/charts/drag/useDrag";
import { duration, usd } from "@/lib/wording";
import classes from "./CostTimeChart.module.css";
import {
  type Axes,
  type CostTimeData,
  costTimeAxes,
  costTimeFigure,
  type Limits,
  type Look,
  MARGIN,
  withLimits,
} from "./costTime";
import { LimitLine } from "./LimitLine";
import { Plot } from "./Plot";

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
const LIGHT = { ink: "#27343b", faint: "#9fb0b8", grid: "#e3e8ea", surface: "#ffffff", accent: "#14545c" };
const DARK = { ink: "#d5dde0", faint: "#61717a", grid: "#2c373d", surface: "#182125", accent: "#8fd0d3" };

/** Limits of the question, and the callback for drags. */
export interface LimitHandles {
  asked: { deadline: string; budget: string };
  onChange: (limit: "deadline" | "budget", change: DragChange) => void;
}

interface CostTimeChartProps {
  data: CostTimeData;
  /** Limits that the answer respects. */
  limits: Limits;
  /** Drag handles; limits are read-only without them. */
  handles?: LimitHandles | undefined;
  scale: "log" | "linear";
  label: string;
  onPick: (key: string) => void;
}

/** Render cost over time of all relevant configurations; marks can be clicked and limits dragged. */
export function CostTimeChart({ data, limits, handles, scale, label, onPick }: CostTimeChartProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const dark = useComputedColorScheme("light", { getInitialValueInEffect: false }) === "dark";
  const [held, setHeld] = useState<Axes | null>(null);
  const { deadline_s } = limits;
  const budget_usd = data.of === "run" ? limits.budget_usd : null;
  const axes = useMemo(
    () => held ?? costTimeAxes(data, { deadline_s, budget_usd }, scale === "log"),
    [held, data, deadline_s, budget_usd, scale],
  );
  const look = useMemo<Look>(
    () => ({ ...(dark ? DARK : LIGHT), width, height: width < 560 ? 320 : 392, font: FONT }),
    [dark, width],
  );
  const figure = useMemo(() => costTimeFigure(data, axes, look), [data, axes, look]);
  const saved = useMemo(
    () => withLimits(figure, { deadline_s, budget_usd }, axes, look),
    [figure, deadline_s, budget_usd, axes, look],
  );
  const pick = useCallback(
    (customdata: unknown) => {
      if (typeof customdata === "string") onPick(customdata);
    },
    [onPick],
  );
  const frame = {
    left: MARGIN.l,
    top: MARGIN.t,
    width: width - MARGIN.l - MARGIN.r,
    height: look.height - MARGIN.t - MARGIN.b,
  };
  const common = { frame, onHold: (hold: boolean) => setHeld(hold ? axes : null) };
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${look.height}px` } as CSSProperties}>
      <div className={classes.drawing} style={{ "--drawn": width } as CSSProperties}>
        <div role="img" aria-label={label} data-testid="cost-time-chart">
          {width > 0 && <Plot figure={figure} saved={saved} onPick={pick} />}
        </div>
        {width > 0 && (
          <div className={classes.over}>
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
            />
            {/* A budget applies to a run, so it is not shown with monthly costs. */}
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
              />
            )}
          </div>
        )}
      </div>
    </div>
  );
}
