// Limiting resources, each with one name, color and mark across the page. Okabe-Ito colors are colorblind-safe; marks
// and patterns carry the same information.

export type ResourceKind =
  | "network"
  | "local disk"
  | "EBS link"
  | "EBS volumes"
  | "object store"
  | "CPU"
  | "data link"
  | "launch"
  | "other";

export interface ResourceStyle {
  label: string;
  colour: string;
  /** Shape of the marker in charts; `-open` for its outline. */
  symbol: string;
  /** The same marker as a character. */
  glyph: string;
}

export const RESOURCES: Record<ResourceKind, ResourceStyle> = {
  network: { label: "network", colour: "#0072B2", symbol: "circle", glyph: "●" },
  "local disk": { label: "local disks", colour: "#D55E00", symbol: "square", glyph: "■" },
  "EBS link": { label: "EBS link", colour: "#CC79A7", symbol: "diamond", glyph: "◆" },
  "EBS volumes": { label: "EBS volumes", colour: "#E69F00", symbol: "triangle-down", glyph: "▼" },
  "object store": { label: "object store", colour: "#56B4E9", symbol: "star", glyph: "★" },
  CPU: { label: "CPU", colour: "#009E73", symbol: "triangle-up", glyph: "▲" },
  "data link": { label: "link to the data", colour: "#7A6A00", symbol: "hexagon", glyph: "⬢" },
  launch: { label: "launch", colour: "#6F5CA8", symbol: "circle-open", glyph: "○" },
  other: { label: "other", colour: "#8A8A8A", symbol: "x", glyph: "✕" },
};

const KINDS: Record<string, ResourceKind> = {
  "network out": "network",
  "network in": "network",
  "input/output disks": "local disk",
  "intermediate disks": "local disk",
  "shared disks": "local disk",
  "EBS link": "EBS link",
  "EBS volumes": "EBS volumes",
  "object store": "object store",
  CPU: "CPU",
  "link to the data": "data link",
  launch: "launch",
};

const DISKS: Readonly<Record<string, string>> = {
  "intermediate disks": "scratch disks",
  "input/output disks": "data disks",
};

/** Return the display name of a bottleneck; both network directions are `network`. */
export function resourceName(bottleneck: string): string {
  return bottleneck.startsWith("network ") ? "network" : (DISKS[bottleneck] ?? bottleneck);
}

/** Return the kind of resource of an API bottleneck. */
export function resourceKind(bottleneck: string): ResourceKind {
  return KINDS[bottleneck] ?? "other";
}
