// Colors of cells: a perceptual sequential scale, and hues of families; the same as in a report's files.

import { CELL_COLOURS } from "@/api/generated/registry.gen";

/** Fill of a cell with the ink of its text, as CSS colors that follow the color scheme. */
export interface CellColour {
  fill: string;
  ink: string;
}

function at(colours: readonly CellColour[], share: number): CellColour {
  return colours[Math.round(share * (colours.length - 1))] ?? { fill: "", ink: "" };
}

/** Return the color of a share of a range, from 0 to 1: equal steps look equal, and the highest stands out most. */
export function sequential(share: number): CellColour {
  return at(CELL_COLOURS.scale, share);
}

/** Return the color of a member of a family: the hue of the family, lighter or darker by its share from 0 to 1. */
export function ofFamily(family: number, share: number): CellColour {
  const { families } = CELL_COLOURS;
  return at(families[family % families.length] ?? [], share);
}
