import { describe, expect, it } from 'vitest';
import { served, widgetKind } from '../../../test/harness/widget-plane.ts';
import { configMapKind } from '../../api/core/config-map.ts';
import { secretKind } from '../../api/core/secret.ts';
import type { ObjectEvent } from '../../registry/verbs.ts';
import { newSharedEventCache } from '../../registry/watch/watch-events.ts';
import { protobufCodec } from '../protobuf/envelope.ts';
import type { ResponseTransform } from './negotiate.ts';
import type { ResponseForm } from './object-reply.ts';
import { watchFrames } from './watch-frames.ts';

const created = Date.parse('2026-01-01T00:00:00Z');
const metadata = { name: 'w', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };

function event(shared: boolean): ObjectEvent {
  const object = served({ apiVersion: 'example.dev/v1', kind: 'Widget', metadata });
  return shared ? { type: 'ADDED', object, shared: newSharedEventCache() } : { type: 'ADDED', object };
}

function form(change: Partial<ResponseForm> = {}, kind?: ResponseTransform['kind']): ResponseForm {
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
  it('are created once for all watches with the same event in the same form (WATCH-26)', () => {
    const told = event(true);
    for (const kind of [undefined, 'PartialObjectMetadata'] as const) {
      const first = watchFrames(form({}, kind))(told);
      expect(watchFrames(form({}, kind))(told)).toBe(first);
      expect(read(first)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'w' } } });
    }
    expect(watchFrames(form())(told)).not.toBe(watchFrames(form({}, 'PartialObjectMetadata'))(told));
  });

  it('are not cached for an event of a single watch', () => {
    const told = event(false);
    const frames = watchFrames(form());
    expect(frames(told)).not.toBe(frames(told));
    expect(frames(told)).toEqual(frames(told));
  });

  it('of a Table are shared within a second, first lines only with first lines (WATCH-30)', () => {
    let now = created + 5_000;
    const table = () => watchFrames(form({ now: () => now }, 'Table'));
    const [one, other] = [event(true), event(true)];
    const [a, b] = [table(), table()];
    const first = a(one);
    expect(b(one)).toBe(first);
    expect(read(first).object.columnDefinitions).toHaveLength(3);
    const second = a(other);
    expect(b(other)).toBe(second);
    expect(read(second).object.columnDefinitions).toBeNull();
    expect(read(second).object.rows[0].cells.at(-1)).toBe('5s');
    expect(read(table()(other)).object.columnDefinitions).toHaveLength(3);
    now += 1_000;
    expect(read(a(other)).object.rows[0].cells.at(-1)).toBe('6s');
  });

  it('of a Table have the cells of an empty object in the row of a bookmark (WATCH-30)', () => {
    const frames = watchFrames(form({ kind: secretKind }, 'Table'));
    const bookmark = read(frames({ type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: true })).object;
    expect(bookmark.columnDefinitions).toHaveLength(4);
    expect(bookmark.rows).toEqual([
      {
        cells: ['', '', 0, '<unknown>'],
        object: {
          kind: 'PartialObjectMetadata',
          apiVersion: 'meta.k8s.io/v1',
          metadata: { annotations: { 'k8s.io/initial-events-end': 'true' }, resourceVersion: '9' },
        },
      },
    ]);
  });

  it('of Tables with another includeObject are separate', () => {
    const told = event(true);
    const [bare] = read(watchFrames(form({ include: 'None' }, 'Table'))(told)).object.rows;
    const [whole] = read(watchFrames(form({ include: 'Object' }, 'Table'))(told)).object.rows;
    expect(bare).not.toHaveProperty('object');
    expect(whole.object.kind).toBe('Widget');
  });

  it('are protobuf frames if the client accepts nothing else, also created once (NEG-06, WATCH-26)', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', resourceVersion: '7' } };
    const told: ObjectEvent = { type: 'ADDED', object: served(object), shared: newSharedEventCache() };
    const frames = () =>
      watchFrames(form({ format: 'protobuf', kind: configMapKind, encodeProtobuf: protobufCodec.encode }));
    const frame = Buffer.from(frames()(told));
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    // The type, then the object in its envelope, as in kube-apiserver.
    expect(frame.subarray(4, 11).toString('latin1')).toBe('\n\u0005ADDED');
    expect(frame.subarray(15, 19).toString('latin1')).toBe('k8s\0');
    expect(protobufCodec.decode({ group: '', version: 'v1', kind: 'ConfigMap' }, frame.subarray(15))).toEqual(object);
    expect(frames()(told)).toBe(frames()(told));
    const bookmark = frames()({ type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: false });
    expect(Buffer.from(bookmark).toString('latin1')).toContain('BOOKMARK');
    const failure = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 410 } as const;
    const error = frames()({ type: 'ERROR', status: failure as never });
    expect(Buffer.from(error).toString('latin1')).toContain('Failure');
  });
});
