import Plotly, { type Layout, type Trace } from "plotly.js-cartesian-dist-min";
import { useCallback, useEffect, useRef } from "react";
import { useChartPicture } from "@/charts/frame/ChartFrame";

const CONFIG = { displayModeBar: false, showTips: false, doubleClick: false };

export interface Figure {
  traces: Trace[];
  layout: Layout;
}

interface PlotProps {
  figure: Figure;
  /** Figure of saved pictures, including the page's overlays (default: the figure). */
  saved?: Figure;
  onPick?: (customdata: unknown) => void;
}

/** Render a Plotly figure, and register it as the picture saved by the chart frame. */
export function Plot({ figure, saved = figure, onPick }: PlotProps) {
  const root = useRef<HTMLDivElement>(null);
  const pick = useRef(onPick);
  // Plotly draws asynchronously; each figure waits for the previous one.
  const drawing = useRef<Promise<unknown>>(Promise.resolve());
  useEffect(() => {
    pick.current = onPick;
  }, [onPick]);
  useEffect(() => {
    const div = root.current;
    let current = true;
    drawing.current = drawing.current.then(async () => {
      if (div === null || !current) return;
      const drawn = await Plotly.react(div, figure.traces, figure.layout, CONFIG);
      drawn.removeAllListeners("plotly_click");
      drawn.on("plotly_click", (event) => pick.current?.(event.points[0]?.customdata));
    });
    return () => {
      current = false;
    };
  }, [figure]);
  useEffect(() => {
    const div = root.current;
    return () => {
      drawing.current = drawing.current.then(() => (div === null ? undefined : Plotly.purge(div)));
    };
  }, []);
  const draw = useCallback(async () => {
    const { width = 0, height = 0 } = root.current?.getBoundingClientRect() ?? {};
    const picture = { data: saved.traces, layout: saved.layout, config: CONFIG };
    const address = await Plotly.toImage(picture, { format: "svg", width, height });
    return { svg: decodeURIComponent(address.slice(address.indexOf(",") + 1)), width, height };
  }, [saved]);
  useChartPicture(draw);
  return <div ref={root} />;
}
