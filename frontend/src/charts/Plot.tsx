import Plotly, { type Layout, type Trace } from "plotly.js-cartesian-dist-min";
import { type RefObject, useEffect, useRef } from "react";

const CONFIG = { displayModeBar: false, showTips: false, doubleClick: false };

interface PlotProps {
  root: RefObject<HTMLDivElement | null>;
  data: Trace[];
  layout: Layout;
  onPick: (customdata: unknown) => void;
}

/** Draws with Plotly into a div of its own. */
export function Plot({ root, data, layout, onPick }: PlotProps) {
  const pick = useRef(onPick);
  // Plotly draws in several steps; the next figure waits for the last, or they mix.
  const drawing = useRef<Promise<unknown>>(Promise.resolve());
  useEffect(() => {
    pick.current = onPick;
  }, [onPick]);
  useEffect(() => {
    const div = root.current;
    let current = true;
    drawing.current = drawing.current.then(async () => {
      if (div === null || !current) return;
      const drawn = await Plotly.react(div, data, layout, CONFIG);
      drawn.removeAllListeners("plotly_click");
      drawn.on("plotly_click", (event) => pick.current(event.points[0]?.customdata));
    });
    return () => {
      current = false;
    };
  }, [root, data, layout]);
  useEffect(() => {
    const div = root.current;
    return () => {
      drawing.current = drawing.current.then(() => (div === null ? undefined : Plotly.purge(div)));
    };
  }, [root]);
  return <div ref={root} />;
}

/** Save what is drawn as a file. */
export function savePlot(root: HTMLElement, format: "svg" | "png", filename: string): Promise<string> {
  const { width, height } = root.getBoundingClientRect();
  return Plotly.downloadImage(root, { format, filename, width, height, ...(format === "png" ? { scale: 2 } : {}) });
}
