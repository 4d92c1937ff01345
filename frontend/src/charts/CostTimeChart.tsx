import { Button, Group, useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useCallback, useMemo, useRef } from "react";
import { type CostTimeData, costTimeFigure, type Look } from "./costTime";
import { Plot, savePlot } from "./Plot";

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
const LIGHT = { ink: "#27343b", faint: "#9fb0b8", grid: "#e3e8ea", surface: "#ffffff", accent: "#14545c" };
const DARK = { ink: "#d5dde0", faint: "#61717a", grid: "#2c373d", surface: "#182125", accent: "#8fd0d3" };

interface CostTimeChartProps {
  data: CostTimeData;
  scale: "log" | "linear";
  label: string;
  onPick: (key: string) => void;
}

/** Cost against time of everything worth looking at; a click on a mark picks it. */
export function CostTimeChart({ data, scale, label, onPick }: CostTimeChartProps) {
  const root = useRef<HTMLDivElement>(null);
  const { ref: frame, width } = useElementSize<HTMLDivElement>();
  const dark = useComputedColorScheme("light", { getInitialValueInEffect: false }) === "dark";
  const figure = useMemo(() => {
    const look: Look = {
      ...(dark ? DARK : LIGHT),
      width,
      height: width < 560 ? 300 : 380,
      log: scale === "log",
      font: FONT,
    };
    return costTimeFigure(data, look);
  }, [data, dark, scale, width]);
  const pick = useCallback(
    (customdata: unknown) => {
      if (typeof customdata === "string") onPick(customdata);
    },
    [onPick],
  );
  const save = (format: "svg" | "png") => {
    if (root.current !== null) void savePlot(root.current, format, "stowage-cost-time");
  };
  return (
    <>
      <div ref={frame} role="img" aria-label={label} data-testid="cost-time-chart" style={{ minHeight: 300 }}>
        {width > 0 && <Plot root={root} data={figure.traces} layout={figure.layout} onPick={pick} />}
      </div>
      <Group gap="xs" justify="flex-end">
        <Button variant="subtle" size="compact-xs" onClick={() => save("svg")}>
          Save as SVG
        </Button>
        <Button variant="subtle" size="compact-xs" onClick={() => save("png")}>
          Save as PNG
        </Button>
      </Group>
    </>
  );
}
