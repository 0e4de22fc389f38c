/** A point of a chart: a time in milliseconds and a value. The value is `undefined` if it was not measured. */
export interface ChartPoint {
  readonly time: number;
  readonly value: number | undefined;
}

export interface ChartArea {
  readonly from: number;
  readonly to: number;
  /** The expected milliseconds between two samples. If the distance is clearly longer, the chart shows a gap. */
  readonly step: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the smallest easily readable number (1, 2 or 5 times a power of ten) that is not less than the largest value.
 */
export function axisMaximum(points: readonly ChartPoint[]): number {
  const largest = Math.max(0, ...points.map(({ value }) => value ?? 0));
  if (largest === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= largest) ?? 10);
}

/** Returns the SVG points of the polylines of a chart. A new polyline begins after each gap. */
export function chartLines(points: readonly ChartPoint[], area: ChartArea): readonly string[] {
  const top = axisMaximum(points);
  const { from, to, step, width, height } = area;
  const lines: string[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const { time, value } of points) {
    if (value === undefined || time < from || time > to) continue;
    // A server restart delays a sample a little. Such a short delay is not a gap.
    if (time - last > step * 1.5) lines.push([]);
    last = time;
    const x = ((time - from) / (to - from)) * width;
    const y = height - (value / top) * height;
    lines.at(-1)?.push(`${x.toFixed(1)},${y.toFixed(1)}`);
  }
  return lines.map((line) => line.join(' '));
}
