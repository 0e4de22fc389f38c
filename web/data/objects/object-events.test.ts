import { expect, it } from 'vitest';
import type { Row } from '../rows/table-rows.ts';
import { readEvents } from './object-events.ts';

function row(name: string, members: object): Row {
  const metadata = { name, creationTimestamp: '2026-01-01T00:00:00Z' };
  return { key: name, metadata, cells: [], object: { apiVersion: 'v1', kind: 'Event', metadata, ...members } };
}

it('events are sorted by time, newest first, in both event formats', () => {
  const events = readEvents([
    row('old', { lastTimestamp: '2026-01-01T10:00:00Z', firstTimestamp: '2026-01-01T09:00:00Z' }),
    row('series', {
      eventTime: '2026-01-01T08:00:00.000000Z',
      series: { lastObservedTime: '2026-01-01T12:00:00.5Z', count: 7 },
    }),
    row('once', { eventTime: '2026-01-01T11:00:00.000000Z' }),
    row('bare', {}),
  ]);
  expect(events.map(({ key, count }) => [key, count])).toEqual([
    ['series', 7],
    ['once', 1],
    ['old', 1],
    ['bare', 1],
  ]);
});

it('type, count and reporting component are read in both event formats', () => {
  const [event] = readEvents([
    row('a', { type: 'Warning', reason: 'Late', message: 'x', count: 3, source: { component: 'c' } }),
  ]);
  expect(event).toMatchObject({ isWarning: true, reason: 'Late', message: 'x', count: 3, source: 'c' });
  expect(readEvents([row('b', { type: 'Normal', reportingComponent: 'd' })])[0]).toMatchObject({
    isWarning: false,
    source: 'd',
  });
});
