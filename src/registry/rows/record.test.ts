import { runOnFastPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import { createdEntries, internFields } from '@flotilla/field-ownership';
import { canonicalJson, type JsonObject, parseJson } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KubeObject, timestamp } from '../../api/meta.ts';
import { decodeRecord, encodeForCache, encodeRecord, type RecordKind } from './record.ts';

const members = fc.dictionary(fc.string({ unit: 'binary', maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }));
const texts = fc.dictionary(fc.string({ unit: 'binary', maxLength: 4 }), fc.string({ unit: 'binary' }));

/** Returns the object that a create produces from a request. The root and the metadata are copies. */
function createdObject(sent: JsonObject, seconds: number, manager: string): KubeObject {
  const { labels, annotations } = sent.metadata as JsonObject;
  const info = { manager, operation: 'Update', apiVersion: 'v1', subresource: '' } as const;
  const fields = internFields(canonicalJson({ 'f:spec': { 'f:b': {}, 'f:a': {} } }));
  return {
    ...sent,
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: {
      name: 'a',
      labels,
      annotations,
      managedFields: createdEntries(info, timestamp(seconds * 1000), fields),
    },
  } as unknown as KubeObject;
}

describe('encodeForCache', () => {
  runOnFastPaths();

  it('the text equals that of encodeRecord, and the decoded record is known', () => {
    const kind: RecordKind = {
      form: {
        storageFormId: 'm',
        storedVersion: 'v1',
        isConverted: () => true,
        convert: (object: KubeObject) => object,
      },
    };
    fc.assert(
      fc.property(members, texts, members, fc.nat(2), fc.boolean(), (spec, labels, hidden, seconds, isRead) => {
        const body = JSON.stringify({ spec, metadata: { name: 'a', labels, annotations: labels } });
        const sent = parseJson(body).value as JsonObject;
        const secret = parseJson(JSON.stringify(hidden)).value as JsonObject;
        const record = { object: createdObject(sent, seconds, `m${seconds}`), hidden: secret };
        const encoded = encodeForCache(kind, record, { isRead });
        expect(encoded.text).toBe(encodeRecord(kind, record));
        if (isRead) expect(encoded.record).toEqual(decodeRecord(encoded.text, kind));
        else expect(encoded.record).toBeUndefined();
      }),
    );
  });
});
