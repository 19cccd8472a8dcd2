/** The slope of a series. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Least squares over the second half: the first half loads what is loaded on demand. */
export function slope(points: readonly Point[]): number {
  const late = points.slice(Math.floor(points.length / 2));
  const mean = (of: (point: Point) => number) =>
    late.reduce((sum, point) => sum + of(point), 0) / late.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const over = late.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  return over / late.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
}
