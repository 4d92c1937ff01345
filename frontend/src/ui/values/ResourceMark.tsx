import type { CSSProperties } from "react";
import { RESOURCES, type ResourceKind } from "@/lib/resources";

/** The mark of a resource in its colour; the name stands beside it. */
export function ResourceMark({ kind }: { kind: ResourceKind }) {
  const { colour, glyph } = RESOURCES[kind];
  return (
    <span aria-hidden="true" style={{ color: colour, marginRight: 4 }}>
      {glyph}
    </span>
  );
}

/** The colour of a resource as a CSS variable, for what `.resource` paints. */
export function resourceColour(kind: ResourceKind): CSSProperties {
  return { "--resource": RESOURCES[kind].colour } as CSSProperties;
}
