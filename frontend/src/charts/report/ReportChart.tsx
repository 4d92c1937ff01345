import { useElementSize } from "@mantine/hooks";
import { useCallback } from "react";
import type { Chart, DrawingsAnswer } from "@/api/generated";
import { ChartFrame } from "@/charts/frame/ChartFrame";
import { shown } from "@/lib/plainText";
import { Drawing } from "./Drawing";
import classes from "./ReportChart.module.css";
import { reportChartData } from "./reportChart";

/** Below this width [px] letters of the wide drawing would be too small to read. */
const WIDE_FROM_PX = 560;

interface ReportChartProps {
  chart: Chart;
  /** Without them its data is all there is to see. */
  drawings: DrawingsAnswer | undefined;
  level?: 2 | 3;
  /** Name of the files that are saved, without ending. */
  filename?: string;
}

/** A chart of a report: the service's drawing of it, the wide or the narrow one as there is room. */
export function ReportChart({ chart, drawings, level = 2, filename = chart.key }: ReportChartProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const data = useCallback(() => reportChartData(chart), [chart]);
  const narrow = width > 0 && width < WIDE_FROM_PX;
  const label = `${chart.title}. ${chart.caption}`;
  return (
    <ChartFrame title={shown(chart.title)} caption={shown(chart.caption)} data={data} filename={filename} level={level}>
      <div ref={ref} className={classes.room}>
        {drawings === undefined && <p className="dim">The data below is all there is of this chart.</p>}
        {drawings !== undefined && narrow && (
          <Drawing drawing={drawings.narrow} label={label} className={classes.narrow} />
        )}
        {/* On paper it is always the wide one: paper is not as narrow as the screen before it was printed. */}
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
