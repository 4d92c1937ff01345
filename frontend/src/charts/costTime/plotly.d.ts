// Types of the parts of Plotly that the charts use; the official types are out of date.
declare module "plotly.js-cartesian-dist-min" {
  export type Datum = string | number | null;
  export type Trace = Record<string, unknown>;
  export type Layout = Record<string, unknown>;
  export interface ClickEvent {
    points: { customdata?: unknown }[];
  }
  export interface Drawn extends HTMLElement {
    on(event: "plotly_click", listener: (event: ClickEvent) => void): void;
    removeAllListeners(event: "plotly_click"): void;
  }
  export interface ImageOptions {
    format: "svg";
    width: number;
    height: number;
  }
  export interface Picture {
    data: Trace[];
    layout: Layout;
    config: Record<string, unknown>;
  }
  interface Plotly {
    react(root: HTMLElement, data: Trace[], layout: Layout, config: Record<string, unknown>): Promise<Drawn>;
    purge(root: HTMLElement): void;
    /** Return a data URL. */
    toImage(figure: Picture, options: ImageOptions): Promise<string>;
  }
  const plotly: Plotly;
  export default plotly;
}
