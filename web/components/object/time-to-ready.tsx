import { Text, VisuallyHidden } from '@mantine/core';
import {
  mergeReadyDays,
  readyDayOf,
  readyDaysRetained,
  readyPercentile,
} from '../../../src/api/management/time-to-ready.ts';
import type { ReadyDay } from '../../../src/api/management/v1/project.ts';
import { pluralize } from '../../data/format-text.ts';
import { formatDay } from '../../data/format-time.ts';
import classes from './time-to-ready.module.css';

/** The size and the margins of the chart, in units of the SVG view box. */
const width = 480;
const height = 190;
const [left, right, bottom, top] = [56, 8, 22, 12];

/** The number of measured times below which percentiles are not meaningful. In this case, the longest time is shown. */
const minForPercentiles = 20;

interface DayStats {
  readonly day: string;
  readonly count: number;
  /** The median time; `undefined` if too few times were measured on the day. */
  readonly half: number | undefined;
  /**
   * The 95th percentile of the times, or the longest time if too few times were measured on the day; `undefined` if
   * none were.
   */
  readonly most: number | undefined;
}

function statsOf(day: string, entry: ReadyDay | undefined): DayStats {
  if (entry === undefined) return { day, count: 0, half: undefined, most: undefined };
  const { count } = entry;
  if (count < minForPercentiles) return { day, count, half: undefined, most: readyPercentile([entry], 1) };
  return { day, count, half: readyPercentile([entry], 0.5), most: readyPercentile([entry], 0.95) };
}

/** Returns the statistics of a day in words: "at most 200 ms", or "median 90 ms, 95th percentile 180 ms". */
function statsText({ half, most }: Pick<DayStats, 'half' | 'most'>): string {
  return half === undefined
    ? `at most ${formatMilliseconds(most)}`
    : `median ${formatMilliseconds(half)}, 95th percentile ${formatMilliseconds(most)}`;
}

/** A chart of the time that virtual clusters needed to become Ready, by day. */
export function TimeToReady({ days }: { readonly days: readonly (readonly ReadyDay[])[] }) {
  const now = Date.now();
  const known = new Map(mergeReadyDays(now, ...days).map((entry) => [entry.day, entry]));
  const shown = Array.from({ length: readyDaysRetained }, (_, index): DayStats => {
    const day = readyDayOf(now - (readyDaysRetained - 1 - index) * 86_400_000);
    return statsOf(day, known.get(day));
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
  const hasFew = total < minForPercentiles;
  return (
    <figure className={classes.figure}>
      <Text size="sm" component="figcaption">
        {pluralize(total, 'virtual cluster')} became Ready in the last {readyDaysRetained} days. Time from creation to
        Ready:{' '}
        <strong>
          {statsText({
            half: hasFew ? undefined : readyPercentile(all, 0.5),
            most: readyPercentile(all, hasFew ? 1 : 0.95),
          })}
        </strong>
        .
      </Text>
      <div className={classes.legend} aria-hidden="true">
        <span data-line="most">{hasFew ? 'Longest time per day' : '95th percentile per day'}</span>
        {hasFew ? null : <span data-line="half">Median per day</span>}
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
              <th scope="col">Time to Ready</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ day, count, half, most }) => (
              <tr key={day}>
                <td>{formatDay(day)}</td>
                <td>{count}</td>
                <td>{count === 0 ? '–' : statsText({ half, most })}</td>
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
 * 95th percentile, or at the longest time if too few times were measured for percentiles. A line across the bar marks
 * the median.
 */
function Chart({ shown }: { readonly shown: readonly DayStats[] }) {
  const times = shown.flatMap(({ half, most }) => [half, most]).filter((time) => time !== undefined);
  const lowest = Math.floor(Math.log10(Math.max(Math.min(...times), 1)));
  const highest = Math.max(Math.ceil(Math.log10(Math.max(...times, 1))), lowest + 1);
  const step = (width - left - right) / shown.length;
  const x = (index: number) => left + step * (index + 0.5);
  const y = (time: number) =>
    height - bottom - ((Math.log10(Math.max(time, 1)) - lowest) / (highest - lowest)) * (height - bottom - top);
  // If the scale covers at most two powers of ten, adds grid lines between the powers to make the scale readable.
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
        most === undefined ? null : (
          <g key={day}>
            <title>{`${formatDay(day)}: ${pluralize(count, 'virtual cluster')}, ${statsText({ half, most })}`}</title>
            <rect
              x={x(index) - step * 0.28}
              width={step * 0.56}
              y={y(most)}
              height={Math.max(height - bottom - y(most), 2)}
              rx={3}
              className={classes.most}
            />
            {half === undefined ? null : (
              <line
                x1={x(index) - step * 0.42}
                x2={x(index) + step * 0.42}
                y1={y(half)}
                y2={y(half)}
                className={classes.half}
              />
            )}
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
