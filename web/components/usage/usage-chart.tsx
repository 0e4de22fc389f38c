import type { Usage } from '../../../src/api/management/v1/usage/usage.ts';
import { axisMaximum, type ChartPoint, chartLines } from './chart-geometry.ts';
import classes from './usage.module.css';
import type { ShownAmount } from './usage-amounts.ts';

const width = 320;
const height = 90;

export interface UsageChartProps {
  readonly amount: ShownAmount;
  readonly usage: Usage;
  /** The period that the chart covers, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** A line chart of one amount. Times without samples are gaps. The table of the page contains the same values. */
export function UsageChart({ amount, usage, from, to }: UsageChartProps) {
  const { samples = [], total, sampleSeconds = 300 } = usage;
  const points: readonly ChartPoint[] = samples.map((sample) => ({
    time: Date.parse(sample.start),
    value: amount.amountOf(sample),
  }));
  const sum = total && amount.amountOf(total);
  if (sum === undefined) return null;
  const lines = chartLines(points, { from, to, step: sampleSeconds * 1000, width, height });
  return (
    <figure className={`card ${classes.chart}`}>
      <figcaption>
        <span className={classes.title}>{amount.title}</span>
        <span className={classes.value}>{amount.format(sum)}</span>
        <span className={classes.explanation}>{amount.explanation}</span>
      </figcaption>
      <div className={classes.plot}>
        <span className={classes.maximum}>{amount.format(axisMaximum(points))}</span>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true" className={classes.lines}>
          <line x1="0" x2={width} y1={height} y2={height} className={classes.axis} />
          <line x1="0" x2={width} y1="0" y2="0" className={classes.axis} />
          {lines.map((line) =>
            line.includes(' ') ? (
              <polyline key={line} points={line} className={classes.line} />
            ) : (
              <polyline key={line} points={`${line} ${line}`} className={classes.point} />
            ),
          )}
        </svg>
        <span className={classes.times}>
          <span>{timeLabel(from, to)}</span>
          <span>now</span>
        </span>
      </div>
    </figure>
  );
}

function timeLabel(from: number, to: number): string {
  const hours = Math.round((to - from) / 3_600_000);
  return hours <= 24 ? `${hours} hours ago` : `${Math.round(hours / 24)} days ago`;
}
