import { onBothPaths, onBothPathsAsync } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import { type JsonObject, type JsonValue, parseJson, writeJson } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { ManualClock } from '../../lib/clock.ts';
import { CachedObject } from '../cache/cached-object.ts';
import { DecodedObjects } from '../cache/decoded-objects.ts';
import {
  decodeRecord,
  encodeForCache,
  encodeRecord,
  isInServedForm,
  parseRecordWithoutManagedFields,
  type RecordKind,
} from '../rows/record.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  testDeleteOptions,
  testListOptions,
  testPatchOptions,
  testWriteOptions,
  widgetResource,
} from '../widgets.fixture.ts';
import { draftCopy, setStatus } from '../write/draft-copy.ts';

/** Member names and strings that look like parts of a stored record. */
const words = fc.oneof(
  fc.constantFrom('uid', 'metadata', 'labels', 'object', 'resourceVersion', 'managedFields', '"managedFields":[{'),
  fc.constantFrom(
    '"',
    '\\',
    '\\"uid":"',
    '}',
    '"labels":{',
    '"fieldsV1":0',
    '__proto__',
    '1',
    'ü\u2028',
    '\ud83d\ude00',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
/** Values as the parser returns them: an integer that a double does not represent exactly is a bigint. */
const values = fc
  .oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom<JsonValue>(9007199254740993n, 1.5, 1e300))
  .map((value) => parseJson(writeJson(value as JsonValue)).value);
const texts = fc.dictionary(words, words, { maxKeys: 4, noNullPrototype: true });
const members = fc.dictionary(words, values, { maxKeys: 4, noNullPrototype: true });
const fieldsV1 = fc.dictionary(fc.constantFrom('f:a', 'f:b', 'k:{"name":"]}"}', 'v:"}"', '.'), fc.constant({}));
const metadata = fc.record(
  {
    annotations: texts,
    finalizers: fc.array(words),
    generation: fc.nat(),
    labels: texts,
    managedFields: fc.array(fc.record({ fieldsType: fc.constant('FieldsV1'), fieldsV1, manager: words })),
    name: words,
    namespace: words,
    ownerReferences: fc.array(fc.record({ uid: words })),
    resourceVersion: fc.constantFrom('1', '99'),
    uid: words,
  },
  { requiredKeys: [], noNullPrototype: true },
);
const objects = fc.record(
  { apiVersion: fc.constantFrom('v1', 'v2'), kind: words, metadata, spec: members, data: members },
  { requiredKeys: ['apiVersion', 'kind', 'metadata'], noNullPrototype: true },
) as unknown as fc.Arbitrary<KubeObject>;
const records = fc
  .record({ object: objects, hidden: members as fc.Arbitrary<JsonObject> }, { requiredKeys: ['object'] })
  .map(({ object, hidden }) => (hidden === undefined ? { object } : { object, hidden }));
const form = {
  storageFormId: 'm',
  storedVersion: 'v1',
  isConverted: () => true,
  convert: (object: KubeObject) => object,
};
const kinds = fc.constantFrom<RecordKind>({}, { builtIn: true }, { form });

const place = { namespace: 'a', name: 'x' };

describe('the plain path and the fast path', () => {
  it('encode a record to the same text, and decode the text to the same record', () => {
    fc.assert(
      fc.property(kinds, records, fc.boolean(), (kind, record, isRead) => {
        const encoded = onBothPaths(() => encodeForCache(kind, record, { isRead }).text);
        expect(encoded.fast).toBe(encoded.plain);
        expect(onBothPaths(() => encodeRecord(kind, record))).toEqual(encoded);
        const text = encoded.plain;
        const decoded = onBothPaths(() => decodeRecord(text, kind));
        expect(decoded.fast).toEqual(decoded.plain);
        const shared = onBothPaths(() => encodeForCache(kind, record).record);
        if (shared.fast !== undefined) expect(shared.fast).toEqual(decoded.plain);
        const known = onBothPaths(() => isInServedForm(kind, text));
        expect(known.fast).toBe(known.plain);
      }),
      { numRuns: 500 },
    );
  });

  it('serve the same bytes of a stored object', () => {
    fc.assert(
      fc.property(kinds, records, fc.nat(), (kind, record, revision) => {
        const text = encodeRecord(kind, record);
        const cached = () =>
          new CachedObject({ resource: kind, decoded: new DecodedObjects(1_000_000) }, place, text, revision);
        for (const read of [
          () => cached().json(),
          () => cached().metadataJson(),
          () => ({ ...cached().labels }),
          () => withoutManagedFields(cached().metadata()),
          () => withoutManagedFields(cached().peekWithoutManagedFields().metadata),
          () => ({ ...cached().peekWithoutManagedFields(), metadata: {} }),
          () => cached().object,
          () => withoutManagedFields(parseRecordWithoutManagedFields(text, kind).object.metadata),
        ]) {
          const { plain, fast } = onBothPaths<unknown>(read);
          expect(fast).toEqual(plain);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('copy an object for a draft with equal content', () => {
    fc.assert(
      fc.property(objects, values, (object, status) => {
        const copy = onBothPaths(() => {
          const copied = draftCopy(widgetResource, object);
          setStatus(widgetResource, copied, status as JsonValue);
          return copied;
        });
        expect(copy.fast).toEqual(copy.plain);
      }),
    );
  });

  it('answer the same sequence of requests with the same bytes', async () => {
    const name = fc.constantFrom('x', 'y');
    const labels = fc.dictionary(fc.constantFrom('b', 'a'), fc.constantFrom('1', '2'), { noNullPrototype: true });
    const spec = fc.record(
      {
        size: fc.integer({ min: 0, max: 3 }),
        color: fc.constantFrom('red', 'blue'),
        odd: fc.nat(),
        parts: fc.array(words),
      },
      { requiredKeys: [], noNullPrototype: true },
    ) as unknown as fc.Arbitrary<JsonObject>;
    const status = fc.record({ phase: words }, { requiredKeys: [], noNullPrototype: true });
    const manager = fc.constantFrom('one', 'two');
    const request = fc.record({
      verb: fc.constantFrom('create', 'update', 'patch', 'status', 'delete'),
      name,
      labels,
      spec,
      status,
      manager,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 8 }), async (requests) => {
        const { plain, fast } = await onBothPathsAsync(async () => {
          const clock = new ManualClock();
          let uid = 0;
          const { kind } = await openWidgets({}, { clock, ids: { uid: () => `uid-${uid++}`, suffix: () => 'aaaaa' } });
          const answers: string[] = [];
          for (const each of requests) {
            const fieldManager = each.manager;
            const sent = { metadata: { labels: each.labels }, spec: each.spec };
            const document = { ...sent, status: each.status } as JsonObject;
            const patch = { type: 'merge' as const, document, findings: [] };
            const options = { ...testPatchOptions, fieldManager };
            const verbs: Record<string, () => Promise<{ json(): string } | undefined>> = {
              create: () =>
                kind.verbs.create(callerContext(), newWidget(each.name, sent), { ...testWriteOptions, fieldManager }),
              update: () =>
                kind.verbs.update(callerContext(), each.name, newWidget(each.name, sent), {
                  ...testWriteOptions,
                  fieldManager,
                }),
              patch: () => kind.verbs.patch(callerContext(), each.name, patch, options),
              status: async () => kind.status?.patch(callerContext(), each.name, patch, options),
              delete: async () => void (await kind.verbs.delete(callerContext(), each.name, testDeleteOptions())),
            };
            const answer = verbs[each.verb]?.();
            answers.push(
              (await answer?.then(
                (written) => written?.json(),
                (error: Error) => error.message,
              )) ?? 'nothing',
            );
            clock.advance(400);
          }
          const list = await kind.verbs.list(callerContext(), testListOptions());
          return [...answers, ...list.items.map((item) => item.json())];
        });
        expect(fast).toEqual(plain);
      }),
      { numRuns: 60 },
    );
  });
});

/** Removes managedFields for the comparison, because the fast path removes them from a text only in simple cases. */
function withoutManagedFields({ managedFields: _, ...rest }: Readonly<KubeObject['metadata']>) {
  return rest;
}
