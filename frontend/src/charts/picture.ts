// Charts as files: what is drawn on the page, standing on its own.

/** What a stylesheet may have said of a shape; in a file it must stand at the shape. */
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

/** Sharp on dense screens and on paper. */
const PIXELS_PER_PX = 2;

/** Write an SVG of the page as a document of its own: size, ground and every style are in it. */
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
  }
  const { width, height } = sizeOf(svg);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", groundOf(svg));
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

/** Save an SVG of the page as a file. */
export async function saveSvg(svg: SVGSVGElement, format: PictureFormat, filename: string): Promise<void> {
  const text = standaloneSvg(svg);
  const vector = new Blob([text], { type: "image/svg+xml;charset=utf-8" });
  download(format === "svg" ? vector : await painted(text, sizeOf(svg)), `${filename}.${format}`);
}

function sizeOf(svg: SVGSVGElement): { width: number; height: number } {
  const { width, height } = svg.getBoundingClientRect();
  return { width: Math.ceil(width), height: Math.ceil(height) };
}

/** The colour that the drawing stands on: of the nearest element around it that has one. */
function groundOf(svg: SVGSVGElement): string {
  for (let around: Element | null = svg; around !== null; around = around.parentElement) {
    const colour = window.getComputedStyle(around).backgroundColor;
    if (colour !== "" && colour !== "transparent" && colour !== "rgba(0, 0, 0, 0)") return colour;
  }
  return "#ffffff";
}

async function painted(svg: string, { width, height }: { width: number; height: number }): Promise<Blob> {
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
