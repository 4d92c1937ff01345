// Colors of cells: a perceptual sequential scale, and hues of families. Both have a variant for each color scheme.

/** Color in OKLCH, where equal steps of lightness look equal. */
interface Oklch {
  /** 0 to 1. */
  lightness: number;
  chroma: number;
  /** Degrees. */
  hue: number;
}

type Rgb = readonly [red: number, green: number, blue: number];

/** Fill of a cell with the ink of its text, as CSS colors that follow the color scheme. */
export interface CellColour {
  fill: string;
  ink: string;
}

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [1, 1, 1];

/** Convert to sRGB, 0 to 1 each; colors outside of it are clipped (Ottosson, "A perceptual color space", 2020). */
function rgb({ lightness, chroma, hue }: Oklch): Rgb {
  const turn = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(turn), chroma * Math.sin(turn)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const encoded = (linear: number) => {
    const value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
    return Math.min(1, Math.max(0, value));
  };
  return [
    encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encoded(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function hex(colour: Rgb): string {
  return `#${colour
    .map((channel) =>
      Math.round(channel * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

/** Compute the contrast ratio of two colors (WCAG 2.2). */
function contrast(first: Rgb, second: Rgb): number {
  const luminance = (colour: Rgb) => {
    const [red = 0, green = 0, blue = 0] = colour.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Return a fill for each color scheme, with black or white text, whichever has more contrast. */
function cellColour(light: Oklch, dark: Oklch): CellColour {
  const of = (colour: Oklch) => {
    const fill = rgb(colour);
    return { fill: hex(fill), ink: hex(contrast(fill, BLACK) >= contrast(fill, WHITE) ? BLACK : WHITE) };
  };
  const [inLight, inDark] = [of(light), of(dark)];
  return {
    fill: `light-dark(${inLight.fill}, ${inDark.fill})`,
    ink: `light-dark(${inLight.ink}, ${inDark.ink})`,
  };
}

/**
 * Return the color of a share of a range, from 0 to 1: equal steps of lightness, from yellow to blue on a light ground
 * and the reverse on a dark one, so that the highest value always stands out most.
 */
export function sequential(share: number): CellColour {
  const at = (lightness: number, along: number): Oklch => ({
    lightness,
    chroma: 0.05 + 0.08 * Math.sin(Math.PI * (0.15 + 0.7 * along)),
    hue: 100 + 165 * along,
  });
  return cellColour(at(0.96 - 0.56 * share, share), at(0.3 + 0.56 * share, 1 - share));
}

/** Hues that are apart for most forms of color blindness together with the letters of the cells [degrees]. */
const HUES = [245, 70, 160, 350, 110, 30, 200, 295];

/** Return the color of a member of a family: the hue of the family, lighter or darker by its share from 0 to 1. */
export function ofFamily(family: number, share: number): CellColour {
  const hue = HUES[family % HUES.length] ?? 0;
  const chroma = 0.04 + 0.06 * share;
  return cellColour({ lightness: 0.94 - 0.2 * share, chroma, hue }, { lightness: 0.28 + 0.2 * share, chroma, hue });
}
