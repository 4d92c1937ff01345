// The same data for both: a line with its band, points, and cells.

/** Return pseudo-random numbers from 0 to 1, the same on each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const next = randomNumbers(7);
const POINTS = 500;

export const xs = Array.from({ length: POINTS }, (_, index) => index);

const walk: number[] = [];
for (const index of xs) walk.push((walk[index - 1] ?? 50) + 4 * next() - 2);

/** Values of the line; a step changes all of them. */
export const lineAt = (step: number) => walk.map((value, index) => value + (step && Math.sin((index + step) / 20)));
export const low = walk.map((value) => value - 3 - 2 * next());
export const high = walk.map((value) => value + 3 + 2 * next());

export const spotXs = xs.map(() => 10 ** (1 + 3 * next()));
const spots = spotXs.map((x) => x * 10 ** (next() - 0.5));
export const spotsAt = (step: number) => spots.map((y, index) => y * (1 + (step && 0.1 * Math.sin(index + step))));

const COLUMNS = 40;
const ROWS = 25;
const grid = Array.from({ length: ROWS }, (_, row) =>
  Array.from({ length: COLUMNS }, (_, column) => 100 * (Math.sin(row / 5) + Math.cos(column / 7) + 2 + next())),
);
export const cellsAt = (step: number) =>
  grid.map((values, row) =>
    values.map((value, column) => Math.round(value + (step && 10 * Math.sin(row + column + step)))),
  );
