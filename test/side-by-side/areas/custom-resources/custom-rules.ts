import { describe } from 'vitest';
import {
  definitionJson,
  definitionVersionJson,
  testGroup,
} from '../../../../src/api/apiextensions/definition-cases.fixture.ts';
import { comparedTests } from '../../area.ts';
import type { Pair } from '../../pair.ts';
import { define } from './definitions.ts';

type Json = Record<string, unknown>;

const text = { type: 'string', maxLength: 20 };
const count = { type: 'integer' };

const guarded = definitionJson('guards', {
  versions: [
    definitionVersionJson(
      { subresources: { status: {} } },
      {
        type: 'object',
        'x-kubernetes-validations': [{ rule: "self.metadata.name.startsWith('g')", message: 'names begin with g' }],
        properties: {
          spec: {
            type: 'object',
            'x-kubernetes-validations': [
              { rule: 'self.low <= self.high' },
              {
                rule: 'self.low >= 0',
                messageExpression: "self.low < -5 ? 'far too low' : 'too low'",
                reason: 'FieldValueForbidden',
                fieldPath: '.low',
              },
            ],
            properties: {
              low: { ...count, default: 1 },
              high: { ...count, default: 5 },
              fixed: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is fixed' }] },
              list: {
                type: 'array',
                maxItems: 5,
                items: { ...text, 'x-kubernetes-validations': [{ rule: 'self.size() > 1' }] },
              },
              kept: {
                type: 'object',
                maxProperties: 5,
                additionalProperties: { ...count, 'x-kubernetes-validations': [{ rule: 'self % 2 == 0' }] },
              },
            },
          },
          status: {
            type: 'object',
            properties: { now: { ...count, 'x-kubernetes-validations': [{ rule: 'self < 10', message: 'too much' }] } },
          },
        },
      },
    ),
  ],
});

/** Compares validation rules of objects: refusals, messages, and ratcheting of unchanged values. */
export function customRules(pair: Pair): void {
  const compared = comparedTests(pair);
  const path = `/apis/${testGroup}/v1/namespaces/default/guards`;
  const post = (name: string, spec: Json) =>
    pair.send({
      method: 'POST',
      path,
      json: { apiVersion: `${testGroup}/v1`, kind: 'Guard', metadata: { name }, spec },
    });
  const patch = (name: string, body: Json) =>
    pair.send({
      method: 'PATCH',
      path: `${path}/${name}`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify(body),
    });

  describe('Rules', () => {
    compared('of new objects', async () => {
      await define(pair, guarded);
      await post('good', { fixed: 'a', list: ['ab', 'cd'], kept: { a: 2 } });
      await post('other', {});
      await post('g1', { low: 7 });
      await post('g2', { low: -1 });
      await post('g3', { low: -1, high: -2, list: ['a', 'bc', ''], kept: { x: 1, y: 2, z: 3 } });
      await post('g4', { low: 'x', list: ['a'] });
    });

    compared('of changes and of unchanged values (META-23)', async () => {
      await patch('good', { spec: { fixed: 'b' } });
      await patch('good', { spec: { fixed: null } });
      await patch('good', { spec: { fixed: 'c' } });
      await patch('good', { spec: { high: 0 } });
      await patch('good', { spec: { list: ['ab', 'c'] } });
      await patch('good', { spec: { kept: { b: 3 } } });
      await patch('good', { metadata: { labels: { a: 'b' } } });
      await patch('good/status', { status: { now: 5 } });
      await patch('good/status', { status: { now: 15 } });
    });
  });
}
