import { describe, expect, it } from 'vitest';
import { served, widgetKind } from '../../test/harness/widget-plane.ts';
import type { ObjectEvent } from '../registry/verbs.ts';
import type { Transform } from './negotiate.ts';
import type { AnswerForm } from './respond.ts';
import { watchFrames } from './watch-frames.ts';

const created = Date.parse('2026-01-01T00:00:00Z');
const metadata = { name: 'w', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };

function event(shared: boolean): ObjectEvent {
  return { type: 'ADDED', object: served({ apiVersion: 'example.dev/v1', kind: 'Widget', metadata }), shared };
}

function form(change: Partial<AnswerForm> = {}, kind?: Transform['kind']): AnswerForm {
  return {
    format: 'json',
    pretty: false,
    kind: widgetKind,
    include: 'Metadata',
    hasTable: true,
    now: () => created,
    ...(kind === undefined ? {} : { transform: { kind, version: 'v1' } }),
    ...change,
  };
}

const read = (line: Uint8Array) => JSON.parse(String(line));

describe('the lines of a watch', () => {
  it('are made once for all who are told the same in the same form (WATCH-26)', () => {
    const told = event(true);
    for (const kind of [undefined, 'PartialObjectMetadata'] as const) {
      const first = watchFrames(form({}, kind))(told);
      expect(watchFrames(form({}, kind))(told)).toBe(first);
      expect(read(first)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'w' } } });
    }
    expect(watchFrames(form())(told)).not.toBe(watchFrames(form({}, 'PartialObjectMetadata'))(told));
  });

  it('are not kept for an event that only one is told', () => {
    const told = event(false);
    const frames = watchFrames(form());
    expect(frames(told)).not.toBe(frames(told));
    expect(frames(told)).toEqual(frames(told));
  });

  it('of a Table are shared too, the first of a stream among the first ones, within a second (WATCH-30)', () => {
    let now = created + 5_000;
    const table = () => watchFrames(form({ now: () => now }, 'Table'));
    const [one, other] = [event(true), event(true)];
    const [a, b] = [table(), table()];
    const first = a(one);
    expect(b(one)).toBe(first);
    expect(read(first).object.columnDefinitions).toHaveLength(3);
    const second = a(other);
    expect(b(other)).toBe(second);
    expect(read(second).object.columnDefinitions).toEqual([]);
    expect(read(second).object.rows[0].cells.at(-1)).toBe('5s');
    expect(read(table()(other)).object.columnDefinitions).toHaveLength(3);
    now += 1_000;
    expect(read(a(other)).object.rows[0].cells.at(-1)).toBe('6s');
  });

  it('of Tables that include something else are others', () => {
    const told = event(true);
    const [bare] = read(watchFrames(form({ include: 'None' }, 'Table'))(told)).object.rows;
    const [whole] = read(watchFrames(form({ include: 'Object' }, 'Table'))(told)).object.rows;
    expect(bare).not.toHaveProperty('object');
    expect(whole.object.kind).toBe('Widget');
  });
});
