import { Text, VisuallyHidden } from '@mantine/core';
import {
  mergeReadyDays,
  readyDayOf,
  readyDaysRetained,
  readyPercentile,
} from '../../../src/api/management/time-to-ready.ts';
import type { ReadyDay } from '../../../src/api/management/v1/project.ts';
import { pluralize } from '../../data/format-text.ts';
import classes from './time-to-ready.module.css';

/** The size and the margins of the chart, in units of the SVG view box. */
const width = 480;
const height = 190;
const [left, right, bottom, top] = [56, 8, 22, 12];

interface DayStats {
  readonly day: string;
  readonly count: number;
  readonly half: number | undefined;
  readonly most: number | undefined;
}

/** A chart of the time that virtual clusters needed to become Ready: the median and the 95th percentile of each day. */
export function TimeToReady({ days }: { readonly days: readonly (readonly ReadyDay[])[] }) {
  const now = Date.now();
  const known = new Map(mergeReadyDays(now, ...days).map((entry) => [entry.day, entry]));
  const shown = Array.from({ length: readyDaysRetained }, (_, index): DayStats => {
    const day = readyDayOf(now - (readyDaysRetained - 1 - index) * 86_400_000);
    const entry = known.get(day);
    const of = entry === undefined ? [] : [entry];
    return { day, count: entry?.count ?? 0, half: readyPercentile(of, 0.5), most: readyPercentile(of, 0.95) };
  });
  const total = shown.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) {
    return (
      <Text size="sm" c="dimmed">
        No virtual cluster became Ready in the last {readyDaysRetained} days.
      </Text>
    );
  }
  const all = [...known.values()];
  return (
    <figure className={classes.figure}>
      <Text size="sm" component="figcaption">
        {pluralize(total, 'virtual cluster')} became Ready in the last {readyDaysRetained} days. Time from creation to
        Ready: median <strong>{formatMilliseconds(readyPercentile(all, 0.5))}</strong>, 95th percentile{' '}
        <strong>{formatMilliseconds(readyPercentile(all, 0.95))}</strong>.
      </Text>
      <div className={classes.legend} aria-hidden="true">
        <span data-line="most">95th percentile of the day</span>
        <span data-line="half">Median of the day</span>
        <span className={classes.scale}>Logarithmic scale</span>
      </div>
      <Chart shown={shown} />
      <VisuallyHidden component="div">
        <table>
          <caption>Time to Ready by day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Virtual clusters</th>
              <th scope="col">Median</th>
              <th scope="col">95th percentile</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ day, count, half, most }) => (
              <tr key={day}>
                <td>{day}</td>
                <td>{count}</td>
                <td>{formatMilliseconds(half)}</td>
                <td>{formatMilliseconds(most)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  );
}

/**
 * A chart with a logarithmic scale, because the times range from milliseconds to minutes. The bar of a day ends at the
 * 95th percentile. A line across it marks the median.
 */
function Chart({ shown }: { readonly shown: readonly DayStats[] }) {
  const times = shown.flatMap(({ half, most }) => [half, most]).filter((time) => time !== undefined);
  const lowest = Math.floor(Math.log10(Math.max(Math.min(...times), 1)));
  const highest = Math.max(Math.ceil(Math.log10(Math.max(...times, 1))), lowest + 1);
  const step = (width - left - right) / shown.length;
  const x = (index: number) => left + step * (index + 0.5);
  const y = (time: number) =>
    height - bottom - ((Math.log10(Math.max(time, 1)) - lowest) / (highest - lowest)) * (height - bottom - top);
  // With few powers of ten, more lines between them show the scale.
  const steps = highest - lowest <= 2 ? [1, 2, 5] : [1];
  const grid = Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index))
    .flatMap((power) => steps.map((factor) => factor * power))
    .filter((time) => time <= 10 ** highest);
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className={classes.chart} aria-hidden="true">
      {grid.map((time) => (
        <g key={time}>
          <line x1={left} x2={width - right} y1={y(time)} y2={y(time)} className={classes.grid} />
          <text x={left - 8} y={y(time) + 4} textAnchor="end">
            {formatMilliseconds(time)}
          </text>
        </g>
      ))}
      {shown.map(({ day, half, most, count }, index) =>
        half === undefined || most === undefined ? null : (
          <g key={day}>
            <title>{`${day}: ${pluralize(count, 'virtual cluster')}, median ${formatMilliseconds(half)}, 95th percentile ${formatMilliseconds(most)}`}</title>
            <rect
              x={x(index) - step * 0.28}
              width={step * 0.56}
              y={y(most)}
              height={Math.max(height - bottom - y(most), 2)}
              rx={3}
              className={classes.most}
            />
            <line
              x1={x(index) - step * 0.42}
              x2={x(index) + step * 0.42}
              y1={y(half)}
              y2={y(half)}
              className={classes.half}
            />
          </g>
        ),
      )}
      {shown.map(({ day }, index) =>
        index % 3 === 1 ? (
          <text key={day} x={x(index)} y={height - 6} textAnchor="middle">
            {dayLabels.format(new Date(day))}
          </text>
        ) : null,
      )}
    </svg>
  );
}

const dayLabels = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Returns a duration in a single unit: milliseconds, seconds or minutes. */
export function formatMilliseconds(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 120_000) return `${Number((milliseconds / 1_000).toPrecision(2))} s`;
  return `${Math.round(milliseconds / 60_000)} min`;
}
