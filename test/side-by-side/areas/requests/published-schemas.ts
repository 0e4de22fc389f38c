import { setTimeout as delay } from 'node:timers/promises';
import { describe } from 'vitest';
import {
  definitionJson,
  definitionVersionJson,
  testGroup,
} from '../../../../src/api/apiextensions/definition-cases.fixture.ts';
import { comparedTests } from '../../area.ts';
import type { Pair } from '../../pair.ts';
import type { Side } from '../../side.ts';
import { define } from '../custom-resources/definitions.ts';
import { at, documents } from './openapi.ts';

const text = { type: 'string' };
const open = { 'x-kubernetes-preserve-unknown-fields': true };
const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } };

/** Schemas by the plural name of their kind. OpenAPI v2 cannot express some of them. */
const schemas: Readonly<Record<string, Record<string, unknown>>> = {
  openroots: { type: 'object', ...open, description: 'Anything.', properties: { spec: text }, required: ['spec'] },
  opennests: {
    type: 'object',
    properties: {
      spec: { type: 'object', ...open, properties: { known: text }, required: ['known'] },
      list: { type: 'array', ...open, items: { type: 'object', ...open, properties: { a: text } } },
      anything: open,
      status: { type: 'object', properties: { inner: { type: 'object', ...open, additionalProperties: text } } },
    },
  },
  nullables: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['a', 'b'],
        properties: {
          a: { type: 'object', nullable: true, properties: { x: text } },
          b: { type: 'array', items: { type: 'string', nullable: true } },
          c: { type: 'object', additionalProperties: { type: 'integer', nullable: true } },
          d: { type: 'string', default: 'x', enum: ['x', 'y'] },
        },
      },
    },
  },
  junctors: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          a: { 'x-kubernetes-int-or-string': true },
          b: text,
          c: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          d: { 'x-kubernetes-int-or-string': true, anyOf: [{ minLength: 1 }, { minimum: 1 }] },
        },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
        not: { required: ['a', 'b'] },
      },
    },
  },
  carriers: {
    type: 'object',
    properties: {
      one: embedded,
      other: { type: 'object', 'x-kubernetes-embedded-resource': true, ...open },
      list: { type: 'array', items: embedded },
    },
  },
};

/** Compares the schemas of custom resources in both versions of OpenAPI. */
export function publishedSchemas(pair: Pair): void {
  const compared = comparedTests(pair);

  describe('Published schemas', () => {
    for (const [plural, schema] of Object.entries(schemas)) {
      const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
      const name = `${testGroup.split('.').reverse().join('.')}.v1.${kind}`;
      compared(`of ${plural} (OAPI-12 to OAPI-14)`, async () => {
        await define(pair, definitionJson(plural, { versions: [definitionVersionJson({}, schema)] }));
        await Promise.all(pair.sides.map((side) => published(side, name)));
        const v2 = await documents(pair, '/openapi/v2');
        pair.compareValues(`v2 ${name}`, at(v2[0], 'definitions', name), at(v2[1], 'definitions', name));
        const v3 = await documents(pair, `/openapi/v3/apis/${testGroup}/v1`);
        const schemaIn = (document: unknown) => at(document, 'components', 'schemas', name);
        pair.compareValues(`v3 ${name}`, schemaIn(v3[0]), schemaIn(v3[1]));
      });
    }
  });
}

/**
 * Waits until both OpenAPI documents contain the kind. kube-apiserver publishes a kind some time after it starts to
 * serve it.
 */
async function published(side: Side, name: string): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  for (const path of ['/openapi/v2', `/openapi/v3/apis/${testGroup}/v1`]) {
    while (!(await side.send({ path })).text.includes(`"${name}":`)) await delay(100, undefined, { signal });
  }
}
