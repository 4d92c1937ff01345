// Shapes of marks, as outlines around the origin with about the area of a circle of the same radius.

export type Shape =
  | "circle"
  | "square"
  | "diamond"
  | "triangle-up"
  | "triangle-down"
  | "star"
  | "hexagon"
  | "x"
  | "cross";

/** Corners of each shape for a radius of 1, as multiples of the radius. */
const CORNERS: Partial<Record<Shape, readonly (readonly [number, number])[]>> = {
  square: [
    [-0.87, -0.87],
    [0.87, -0.87],
    [0.87, 0.87],
    [-0.87, 0.87],
  ],
  diamond: [
    [0, -1.24],
    [1.24, 0],
    [0, 1.24],
    [-1.24, 0],
  ],
  "triangle-up": [
    [0, -1.2],
    [1.16, 0.91],
    [-1.16, 0.91],
  ],
  "triangle-down": [
    [0, 1.2],
    [1.16, -0.91],
    [-1.16, -0.91],
  ],
  star: Array.from({ length: 10 }, (_, index) => around(index / 10, index % 2 === 0 ? 1.45 : 0.62)),
  hexagon: Array.from({ length: 6 }, (_, index) => around(index / 6, 1.1)),
  x: [
    [-1.1, -0.6],
    [-0.6, -1.1],
    [0, -0.5],
    [0.6, -1.1],
    [1.1, -0.6],
    [0.5, 0],
    [1.1, 0.6],
    [0.6, 1.1],
    [0, 0.5],
    [-0.6, 1.1],
    [-1.1, 0.6],
    [-0.5, 0],
  ],
};

/** Return the point at a share of a turn from the top. */
function around(turn: number, radius: number): [number, number] {
  const angle = 2 * Math.PI * turn;
  return [radius * Math.sin(angle), -radius * Math.cos(angle)];
}

/** Build the outline of a shape. */
export function shapePath(shape: Shape, r: number): string {
  if (shape === "cross") return `M${-r},${-r}L${r},${r}M${-r},${r}L${r},${-r}`;
  const corners = CORNERS[shape];
  if (corners === undefined) return `M${-r},0A${r},${r},0,1,1,${r},0A${r},${r},0,1,1,${-r},0Z`;
  return `M${corners.map(([x, y]) => `${(x * r).toFixed(2)},${(y * r).toFixed(2)}`).join("L")}Z`;
}
