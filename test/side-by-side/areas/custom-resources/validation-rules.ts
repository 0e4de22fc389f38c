import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import type { Pair } from '../../pair.ts';
import type { Side } from '../../side.ts';

type Json = Record<string, unknown>;

const group = 'gauges.example';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const objects = `/apis/${group}/v1/namespaces/default/gauges`;

const text = { type: 'string' };
const integer = { type: 'integer' };
const rules = (...list: (string | Json)[]) => ({
  'x-kubernetes-validations': list.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});

function definition(spec: Json, plural = 'gauges'): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: plural.slice(0, -1), kind: 'Gauge', listKind: 'GaugeList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  };
}

const properties = {
  s: { type: 'string', maxLength: 20, ...rules('self != "no"') },
  n: {
    ...integer,
    ...rules({ rule: 'self >= oldSelf', message: 'only up' }, { rule: 'self < 100', message: 'too much' }),
  },
  fixed: { ...text, ...rules({ rule: 'self == oldSelf', reason: 'FieldValueForbidden', message: 'stays' }) },
  list: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } },
  map: { type: 'object', maxProperties: 5, additionalProperties: { ...integer, ...rules('self > 0') } },
  keyed: {
    type: 'array',
    maxItems: 5,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: {
      type: 'object',
      required: ['k'],
      properties: { k: text, v: integer },
      ...rules({
        rule: '!has(self.v) || self.v < 10',
        messageExpression: '"v is %d".format([self.v])',
        fieldPath: '.v',
      }),
    },
  },
  port: { 'x-kubernetes-int-or-string': true },
  when: { type: 'string', format: 'date-time' },
  wait: { type: 'string', format: 'duration' },
  maybe: { type: 'string', nullable: true },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

const gauge = definition({
  type: 'object',
  properties,
  ...rules(
    '!has(self.list) || self.list.all(x, x.matches("^[a-z]+$"))',
    {
      rule: '!has(self.s) || !has(self.list) || self.s in self.list',
      message: 's is of the list',
      reason: 'FieldValueRequired',
      fieldPath: '.s',
    },
    '!has(self.port) || (type(self.port) == int ? self.port > 0 : self.port.size() > 1)',
    '!has(self.when) || self.when > timestamp("2000-01-01T00:00:00Z")',
    '!has(self.wait) || self.wait <= duration("1h")',
    '!has(self.n) || 100 / self.n >= 1',
    { rule: '!has(self.fixed) || self.fixed.startsWith("f")', message: 'begins with f' },
  ),
});

/** Specs that violate no rule, one rule or several rules. */
const specs: readonly Json[] = [
  {},
  { s: 'no' },
  { s: 'a', list: ['a', 'b'] },
  { s: 'c', list: ['a', 'B'] },
  { n: 5 },
  { n: 0 },
  { n: 100 },
  { n: 200, s: 'no', fixed: 'x' },
  { map: { a: 1, b: 0 } },
  {
    keyed: [
      { k: 'a', v: 1 },
      { k: 'b', v: 20 },
    ],
  },
  { port: 0 },
  { port: 'x' },
  { port: 'http' },
  { when: '1999-12-31T23:59:59Z' },
  { wait: '2h' },
  { wait: '1h' },
  { maybe: null, free: { a: [1] } },
];

/** Specs with which an object is updated in this order. */
const updates: readonly Json[] = [
  { n: 7, fixed: 'f1', keyed: [{ k: 'a', v: 1 }] },
  { n: 6, fixed: 'f1' },
  { n: 8, fixed: 'f2' },
  { n: 8 },
  { n: 8, fixed: 'f2' },
  { n: 8, keyed: [{ k: 'a', v: 11 }] },
  { s: 'no', n: 8 },
];

/** Definitions with invalid rules. */
const faulty: readonly Json[] = [
  { type: 'object', properties: { a: integer }, ...rules('self.a +') },
  { type: 'object', properties: { a: integer }, ...rules('self.b > 1', 'self.a == "x"') },
  { type: 'object', properties: { a: integer }, ...rules('self.a') },
  { type: 'object', properties: { a: text }, ...rules({ rule: 'true', messageExpression: 'self.a.size()' }) },
  { type: 'object', properties: { a: text }, ...rules({ rule: 'self.a == ""', optionalOldSelf: true }) },
  { type: 'object', properties: { a: { type: 'array', items: { ...integer, ...rules('self > oldSelf') } } } },
  {
    type: 'object',
    properties: { a: { type: 'array', items: text } },
    ...rules('self.a.all(x, self.a.all(y, x == y))'),
  },
  { type: 'object', properties: { a: text }, ...rules('self.a.matches("(")', 'duration("x") > duration("1s")') },
  { type: 'object', properties: { a: text }, ...rules('"%d".format([self.a]) == ""', '[1, "a"].size() == 2') },
  {
    type: 'object',
    properties: { namespace: text, 'a-b': text },
    ...rules('self.namespace == "x" && self.a__dash__b == "y"'),
  },
];

/** Compares CEL validation rules: the validation of definitions with rules, and of their objects. */
export function validationRules(pair: Pair): void {
  describe('Validation rules', () => {
    const compared = comparedTests(pair);

    beforeAll(async () => {
      await pair.prepare({ method: 'POST', path: definitions, json: gauge });
      for (const side of pair.sides) {
        while ((await side.send({ path: objects })).status !== 200) await delay(50);
      }
    });

    compared('are compiled, type-checked and cost-estimated with the definition', async () => {
      for (const spec of faulty) {
        await pair.send({ method: 'POST', path: `${definitions}?dryRun=All`, json: definition(spec, 'dials') });
      }
    });

    const object = (name: string, spec: Json, more: Json = {}) => ({
      apiVersion: `${group}/v1`,
      kind: 'Gauge',
      metadata: { name, ...more },
      spec,
    });

    compared('refuse objects on create', async () => {
      for (const [index, spec] of specs.entries()) {
        await pair.send({ method: 'POST', path: objects, json: object(`g${index}`, spec) });
      }
    });

    compared('compare with the old object on update, and accept unchanged values (META-23)', async () => {
      await pair.send({ method: 'POST', path: objects, json: object('u', { n: 7, fixed: 'f1' }) }, { keepAs: 'u' });
      for (const spec of updates) {
        const request = (side: Side) => ({
          method: 'PUT',
          path: `${objects}/u`,
          json: object('u', spec, { resourceVersion: side.version('u') }),
        });
        await pair.send(request, { keepAs: 'u' });
      }
    });
  });
}
