// Charts as standalone files.

/** Properties from stylesheets that a file must contain inline. */
const KEPT = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "font-variant-numeric",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
] as const;

export type PictureFormat = "svg" | "png";

/** Scale of PNG files, for dense screens and print. */
const PIXELS_PER_PX = 2;

/** Convert an SVG of the page to a standalone document with size, background and inline styles. */
export function standaloneSvg(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll<SVGElement>("*")];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  for (const [index, original] of originals.entries()) {
    const style = window.getComputedStyle(original);
    const target = copies[index];
    for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      if (value !== "") target?.style.setProperty(name, value);
    }
    target?.removeAttribute("class");
    target?.removeAttribute("data-words");
    target?.replaceChildren(...titleOf(original), ...target.childNodes);
  }
  const { width, height } = sizeOf(svg);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", groundOf(svg));
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

/** Return the tooltip of a mark as a title, which viewers of files show on hover. */
function titleOf({ dataset }: SVGElement): SVGTitleElement[] {
  const words = dataset["words"];
  if (words === undefined) return [];
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  title.textContent = words;
  return [title];
}

/** Standalone SVG document with its size [px]. */
export interface Drawing {
  svg: string;
  width: number;
  height: number;
}

/** Word, or part of a word, in one color. */
interface Run {
  text: string;
  colour: string;
  /** True without a space before it, like a comma after a name. */
  glued?: boolean;
}

/** Heading of a saved drawing: the text above it on the page, in the same colors. */
export interface Heading {
  title: Run;
  caption: Run[];
  ground: string;
  font: string;
}

const EDGE_PX = 16;
const TITLE_PX = 16;
const CAPTION_PX = 13;
const LINE = 1.4;

/** Return the drawing of an SVG of the page. */
export function drawingOf(svg: SVGSVGElement): Drawing {
  return { svg: standaloneSvg(svg), ...sizeOf(svg) };
}

/** Read the title and caption of a chart from the page, including the legend. */
export function headingOf(title: HTMLElement, caption: HTMLElement | null): Heading {
  const { color, fontFamily } = window.getComputedStyle(title);
  return {
    title: { text: title.textContent ?? "", colour: color },
    caption: caption === null ? [] : runsIn(caption),
    ground: groundOf(title),
    font: fontFamily,
  };
}

function runsIn(element: HTMLElement): Run[] {
  const runs: Run[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let goesOn = false;
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const content = node.textContent ?? "";
    const colour = node.parentElement === null ? "" : window.getComputedStyle(node.parentElement).color;
    const words = content.split(/\s+/).filter(Boolean);
    // Punctuation at the start of a node belongs to the word before it; other nodes start a new word.
    const glued = goesOn && /^[,.;:)]/.test(content);
    words.forEach((text, index) => {
      runs.push({ text, colour, glued: index === 0 && glued });
    });
    goesOn = words.length > 0 && !/\s$/.test(content);
  }
  return runs;
}

/** Add a title and caption above a drawing, on the same background. */
export function headed({ svg, width, height }: Drawing, { title, caption, ground, font }: Heading): Drawing {
  const lines = wrapped(caption, width - 2 * EDGE_PX);
  const top = EDGE_PX + TITLE_PX * LINE + lines.length * CAPTION_PX * LINE;
  const captionTop = EDGE_PX + TITLE_PX * LINE;
  const texts = lines.map((line, index) => {
    const words = line.map(({ text, colour, glued }, place) => {
      const tspan = `<tspan fill="${escaped(colour)}">${escaped(text)}</tspan>`;
      return glued || place === 0 ? tspan : ` ${tspan}`;
    });
    return `<text x="${EDGE_PX}" y="${captionTop + (index + 0.8) * CAPTION_PX * LINE}" font-size="${CAPTION_PX}">${words.join("")}</text>`;
  });
  return {
    width,
    height: Math.ceil(top + height),
    svg: [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${Math.ceil(top + height)}" font-family="${escaped(font)}">`,
      `<rect width="100%" height="100%" fill="${escaped(ground)}"/>`,
      `<text x="${EDGE_PX}" y="${EDGE_PX + TITLE_PX}" font-size="${TITLE_PX}" font-weight="600" fill="${escaped(title.colour)}">${escaped(title.text)}</text>`,
      ...texts,
      `<g transform="translate(0 ${top})">${svg.replace(/^<\?xml[^>]*>/, "")}</g>`,
      "</svg>",
    ].join(""),
  };
}

/** Break words into lines of at most `width`. */
function wrapped(words: readonly Run[], width: number): Run[][] {
  const lines: Run[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const word of words) {
    const wide = widthOf(`${word.text} `);
    if (used + wide > width && !(word.glued && lines.length > 0)) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(word);
    used += wide;
  }
  return lines;
}

/** Estimate the width of a text in the caption's size. */
function widthOf(text: string): number {
  return text.length * 0.54 * CAPTION_PX;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

export async function saveDrawing(drawing: Drawing, format: PictureFormat, filename: string): Promise<void> {
  const vector = new Blob([drawing.svg], { type: "image/svg+xml;charset=utf-8" });
  download(format === "svg" ? vector : await painted(drawing), `${filename}.${format}`);
}

function sizeOf(svg: SVGSVGElement): { width: number; height: number } {
  const { width, height } = svg.getBoundingClientRect();
  return { width: Math.ceil(width), height: Math.ceil(height) };
}

/** Return the background color of an element: that of its nearest ancestor with one. */
function groundOf(drawn: Element): string {
  for (let around: Element | null = drawn; around !== null; around = around.parentElement) {
    const colour = window.getComputedStyle(around).backgroundColor;
    if (colour !== "" && colour !== "transparent" && colour !== "rgba(0, 0, 0, 0)") return colour;
  }
  return "#ffffff";
}

async function painted({ svg, width, height }: Drawing): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * PIXELS_PER_PX;
  canvas.height = height * PIXELS_PER_PX;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error("The picture could not be drawn.")) : resolve(blob)));
  });
}

function download(content: Blob, filename: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = filename;
  link.click();
  URL.revokeObjectURL(address);
}
