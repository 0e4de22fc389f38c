import { cloneJson, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { CustomTestEnv, shipDefinition } from './custom.fixture.ts';

const richDefinition = shipDefinition({
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 5, pattern: '^[a-z]+$' },
    masts: { type: 'integer', default: 2, minimum: 0 },
    port: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    pod: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    crew: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    either: { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 1 }], not: { enum: [7] } },
  },
  'x-kubernetes-validations': [{ rule: 'self.masts < 10' }],
});

const words = [
  ...['type', 'properties', 'items', 'additionalProperties', 'default', 'enum', 'anyOf', 'allOf', 'not', 'required'],
  ...['nullable', 'format', 'pattern', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type'],
  ...[
    'x-kubernetes-validations',
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-embedded-resource',
    '__proto__',
  ],
  ...['name', 'served', 'storage', 'schema', 'subresources', 'status', 'scale', 'conversion', 'strategy', 'jsonPath'],
];

const anyValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      2n ** 62n,
      '',
      'x',
      'object',
      'array',
      'string',
      'map',
      '(',
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...words), tie('value')), { maxLength: 4 }).map((members) => {
      const object: JsonObject = {};
      for (const [name, member] of members) setMember(object, name, member);
      return object;
    }),
  ),
})).value;

/** Returns a copy of the document with another value at the position that the numbers select. */
function mutated(document: JsonObject, steps: readonly number[], value: JsonValue): JsonObject {
  const copy = cloneJson(document);
  let at: JsonValue = copy.spec as JsonValue;
  for (const [index, step] of steps.entries()) {
    if (!isJsonObject(at) && !Array.isArray(at)) break;
    const names: string[] = Object.keys(at);
    const name: string = names[step % Math.max(names.length, 1)] ?? 'added';
    const parent = at as JsonObject;
    const next: JsonValue | undefined = parent[name];
    if (index === steps.length - 1 || typeof next !== 'object' || next === null) {
      if (Array.isArray(at)) at.push(value);
      else setMember(parent, name, value);
      break;
    }
    at = next;
  }
  return copy;
}

async function isAcceptedOrRefused(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.code < 500) return false;
    throw error;
  }
}

it('any definition is accepted or refused, and the plane keeps working', async () => {
  const env = await CustomTestEnv.open();
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(40), { minLength: 1, maxLength: 9 }), anyValue, async (steps, value) => {
      if (!(await isAcceptedOrRefused(() => env.define(mutated(richDefinition, steps, value))))) return;
      taken++;
      if (env.definition() !== undefined) await env.undefine();
    }),
    { numRuns: 400 },
  );
  expect(taken).toBeGreaterThan(0);
  expect(await env.rows()).toBe(0);
});

it('any object of a definition is accepted or refused, and an accepted one is returned unchanged', async () => {
  const env = await CustomTestEnv.open();
  await env.define(richDefinition);
  const spec = fc.dictionary(
    fc.constantFrom('name', 'masts', 'port', 'free', 'pod', 'tags', 'crew', 'labels', 'either', 'other'),
    fc.oneof(anyValue, fc.constantFrom<JsonValue>('abc', 3, ['a', 'b'], [{ name: 'x' }], { a: 'b' })),
  );
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(spec, async (sent) => {
      const name = `s${taken}`;
      if (!(await isAcceptedOrRefused(() => env.ship(name, { name: 'abc', ...(sent as JsonObject) })))) return;
      taken++;
      const shown = await env.getShip(name);
      const again = await env.patchShip(name, {});
      expect(again.metadata.resourceVersion).toBe(shown.metadata.resourceVersion);
    }),
    { numRuns: 400 },
  );
  expect(taken).toBeGreaterThan(0);
});
