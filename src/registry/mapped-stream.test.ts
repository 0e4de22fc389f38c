import { expect, it } from 'vitest';
import { streamMapper } from './mapped-stream.ts';
import type { ObjectEvent, WatchEvent, WatchStream } from './verbs.ts';
import { newSharedWork } from './watch-events.ts';

const object = (name: string) => {
  const made = { apiVersion: 'example.dev/v1', kind: 'Widget', metadata: { name } };
  return { object: made, json: () => JSON.stringify(made) };
};

/** A stream that has these ready. */
function streamOf(...events: WatchEvent[]): WatchStream {
  return {
    take: () => events.shift(),
    get over() {
      return events.length === 0;
    },
    wait() {},
    close() {},
    async *[Symbol.asyncIterator]() {},
  } as WatchStream;
}

it('turns an event that several watchers are told once for all of them, with lines of its own (WATCH-26)', () => {
  let turned = 0;
  const map = streamMapper((event) => {
    turned++;
    return 'object' in event ? { ...event, object: object('turned') } : event;
  });
  const other = streamMapper((event) => ('object' in event ? { ...event, object: object('other') } : event));
  const told: ObjectEvent = { type: 'ADDED', object: object('w'), shared: newSharedWork() };
  const [first, second] = [map(streamOf(told)).take(), map(streamOf(told)).take()];
  expect(turned).toBe(1);
  expect(second).toBe(first);
  expect(first).toMatchObject({ object: { object: { metadata: { name: 'turned' } } } });
  expect((first as ObjectEvent).shared?.lines).not.toBe(told.shared?.lines);
  expect(other(streamOf(told)).take()).toMatchObject({ object: { object: { metadata: { name: 'other' } } } });
});

it('turns anew what only one is told', () => {
  let turned = 0;
  const map = streamMapper((event) => {
    turned++;
    return event;
  });
  const told: ObjectEvent = { type: 'ADDED', object: object('w') };
  for (let times = 0; times < 2; times++) expect(map(streamOf(told)).take()).toBe(told);
  expect(turned).toBe(2);
});
