import { useElementSize } from "@mantine/hooks";
import { useCallback } from "react";
import type { Chart, DrawingsAnswer } from "@/api/generated";
import { ChartFrame } from "@/charts/frame/ChartFrame";
import { shown } from "@/lib/plainText";
import { Drawing } from "./Drawing";
import classes from "./ReportChart.module.css";
import { reportChartData } from "./reportChart";

/** Minimum width of the wide drawing, whose text would otherwise be too small [px]. */
const WIDE_FROM_PX = 560;

interface ReportChartProps {
  chart: Chart;
  /** Drawings of the chart; only the data table is available without them. */
  drawings: DrawingsAnswer | undefined;
  level?: 2 | 3;
  /** Base name of saved files, without extension. */
  filename?: string;
}

/** Render a report's chart as drawn by the service, in the wide or narrow version. */
export function ReportChart({ chart, drawings, level = 2, filename = chart.key }: ReportChartProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const data = useCallback(() => reportChartData(chart), [chart]);
  const narrow = width > 0 && width < WIDE_FROM_PX;
  const label = `${chart.title}. ${chart.caption}`;
  return (
    <ChartFrame title={shown(chart.title)} caption={shown(chart.caption)} data={data} filename={filename} level={level}>
      <div ref={ref} style={{ minWidth: 0 }}>
        {drawings === undefined && <p className="dim">The data below is all there is of this chart.</p>}
        {drawings !== undefined && narrow && (
          <Drawing drawing={drawings.narrow} label={label} className={classes.narrow} />
        )}
        {/* Print always uses the wide drawing, even from a narrow screen. */}
        {drawings !== undefined && (
          <Drawing
            drawing={drawings.wide}
            label={label}
            hidden={narrow}
            className={narrow ? classes.paper : classes.wide}
          />
        )}
      </div>
    </ChartFrame>
  );
}
