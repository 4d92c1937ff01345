import { RESOURCES, type ResourceKind } from "@/lib/resources";

/** Render the mark of a resource in its color, next to its name. */
export function ResourceMark({ kind }: { kind: ResourceKind }) {
  const { colour, glyph } = RESOURCES[kind];
  return (
    <span aria-hidden="true" style={{ color: colour, marginRight: 4 }}>
      {glyph}
    </span>
  );
}
