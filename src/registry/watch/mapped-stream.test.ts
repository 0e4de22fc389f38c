import { expect, it } from 'vitest';
import type { ObjectEvent, WatchEvent, WatchStream } from '../verbs.ts';
import { streamMapper } from './mapped-stream.ts';
import { newSharedEventCache } from './watch-events.ts';

const object = (name: string) => {
  const made = { apiVersion: 'example.dev/v1', kind: 'Widget', metadata: { name } };
  return { object: made, json: () => JSON.stringify(made) };
};

/** Returns a stream with these events available. */
function streamOf(...events: WatchEvent[]): WatchStream {
  return {
    take: () => events.shift(),
    get isEnded() {
      return events.length === 0;
    },
    wait() {},
    close() {},
    async *[Symbol.asyncIterator]() {},
  } as WatchStream;
}

it('an event that several watches share is mapped once and has its own encoded lines (WATCH-26)', () => {
  let mapped = 0;
  const map = streamMapper((event) => {
    mapped++;
    return 'object' in event ? { ...event, object: object('mapped') } : event;
  });
  const other = streamMapper((event) => ('object' in event ? { ...event, object: object('other') } : event));
  const event: ObjectEvent = { type: 'ADDED', object: object('w'), shared: newSharedEventCache() };
  const [first, second] = [map(streamOf(event)).take(), map(streamOf(event)).take()];
  expect(mapped).toBe(1);
  expect(second).toBe(first);
  expect(first).toMatchObject({ object: { object: { metadata: { name: 'mapped' } } } });
  expect((first as ObjectEvent).shared?.lines).not.toBe(event.shared?.lines);
  expect(other(streamOf(event)).take()).toMatchObject({ object: { object: { metadata: { name: 'other' } } } });
});

it('an event for a single watch is mapped each time', () => {
  let mapped = 0;
  const map = streamMapper((event) => {
    mapped++;
    return event;
  });
  const event: ObjectEvent = { type: 'ADDED', object: object('w') };
  for (let times = 0; times < 2; times++) expect(map(streamOf(event)).take()).toBe(event);
  expect(mapped).toBe(2);
});
