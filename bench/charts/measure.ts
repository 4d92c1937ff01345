// Draws what the address asks for, drags, and leaves the times [ms] in `window.result`.

export interface Drawn {
  /** Moves the line to a step. */
  rule?: (step: number) => unknown;
  /** Draws new data. */
  data: (step: number) => unknown;
}

export type Draw = (root: HTMLElement) => Promise<Drawn>;

const FRAMES = 30;
const EIGHT = ["line", "scatter", "heat", "line", "scatter", "heat", "line", "scatter"];

const frame = () => new Promise<number>(requestAnimationFrame);

/** Resolve in the first task after the frame is painted. */
function painted(): Promise<number> {
  const { port1, port2 } = new MessageChannel();
  const done = new Promise<number>((resolve) => {
    port1.onmessage = () => resolve(performance.now());
  });
  port2.postMessage(null);
  return done;
}

async function framesOf(act: (step: number) => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let step = 1; step <= FRAMES; step += 1) {
    await frame();
    const from = performance.now();
    await act(step);
    times.push((await painted()) - from);
  }
  return times;
}

export async function measure(kinds: Record<string, Draw>): Promise<void> {
  const asked = new URLSearchParams(location.search).get("draw") ?? "line";
  const begun = performance.now();
  const charts = await Promise.all(
    (asked === "eight" ? EIGHT : [asked]).map((name) => {
      const root = document.createElement("div");
      root.style.width = "900px";
      document.body.append(root);
      return kinds[name]?.(root);
    }),
  );
  await frame();
  const first = await painted();
  const [chart] = charts;
  const drags = asked !== "eight";
  Object.assign(window, {
    result: {
      begun,
      first,
      rule: drags && chart?.rule !== undefined ? await framesOf(chart.rule) : [],
      data: drags && chart !== undefined ? await framesOf(chart.data) : [],
    },
  });
}
