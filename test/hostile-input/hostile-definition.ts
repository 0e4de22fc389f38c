import type { SeededRandom } from '../bad-days/seeded-random.ts';

type Schema = { [keyword: string]: unknown };

function definition(name: string, schemas: readonly Schema[], more: Schema = {}): string {
  const group = `${name}.example.com`;
  const versions = schemas.map((openAPIV3Schema, index) => ({
    name: `v${index + 1}`,
    served: true,
    storage: index === 0,
    schema: { openAPIV3Schema },
    ...more,
  }));
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: { group, names: { plural: 'things', kind: 'Thing' }, scope: 'Namespaced', versions },
  });
}

const withSpec = (spec: Schema): Schema => ({ type: 'object', properties: { spec } });

function wide(count: number, member: (index: number) => Schema): Schema {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, member(index)]));
  return { type: 'object', properties };
}

function deep(levels: number, inner: Schema, keyword: string): Schema {
  let schema = inner;
  for (let level = 0; level < levels; level++) {
    if (keyword === 'properties') schema = { type: 'object', properties: { a: schema } };
    else if (keyword === 'items') schema = { type: 'array', items: schema };
    else if (keyword === 'not') schema = { not: schema };
    else if (keyword === 'additionalProperties') schema = { type: 'object', additionalProperties: schema };
    else schema = { [keyword]: [schema, schema].slice(0, level < 8 ? 2 : 1) };
  }
  return keyword === 'properties' || keyword === 'items' || keyword === 'additionalProperties'
    ? schema
    : { type: 'object', ...schema };
}

const leaf: readonly ((random: SeededRandom, index: number) => Schema)[] = [
  () => ({ type: 'string' }),
  (_random, index) => ({ type: 'string', pattern: `a{1000}${index}` }),
  (random, index) => ({ type: 'string', pattern: `(${'a?'.repeat(random.below(400))})${index}` }),
  () => ({ type: 'string', enum: Array.from({ length: 50 }, (_, at) => `e${at}`) }),
  () => ({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', default: ['a', 'b'] }),
  () => ({ type: 'string', description: 'x'.repeat(100) }),
  (_random, index) => ({ type: 'string', 'x-kubernetes-validations': [{ rule: `self.matches("a{1000}b${index}")` }] }),
  (_random, index) => ({ type: 'string', 'x-kubernetes-validations': [{ rule: `self == "x${index}"` }] }),
  () => ({ anyOf: [{ pattern: 'a' }, { pattern: 'b' }], type: 'string' }),
  () => ({ type: 'object', required: Array.from({ length: 50 }, (_, at) => `r${at}`), properties: {} }),
  () => ({ type: 'object', default: { a: { b: 1 } }, 'x-kubernetes-preserve-unknown-fields': true }),
  () => ({ type: 'unknown', bogus: 1, $ref: '#/a' }),
];

/** Returns a CustomResourceDefinition of about the given size. */
export function hostileDefinition(random: SeededRandom, bytes: number): string {
  const make = random.pick(leaf);
  const one = JSON.stringify(make(random, 0)).length + 10;
  const count = Math.floor(bytes / one);
  const name = `t${random.below(1e9)}`;
  switch (random.below(5)) {
    case 0: {
      const versions = 1 + random.below(20);
      const schema = wide(Math.floor(count / versions), (index) => make(random, index));
      return definition(
        name,
        Array.from({ length: versions }, () => withSpec(schema)),
      );
    }
    case 1: {
      const keyword = random.pick(['properties', 'items', 'not', 'allOf', 'anyOf', 'oneOf', 'additionalProperties']);
      return definition(name, [withSpec(deep(random.pick([20, 100, 300]), make(random, 0), keyword))]);
    }
    case 2: {
      const branches = Array.from({ length: count }, () => ({ properties: { a: { minLength: 1 } } }));
      const keyword = random.pick(['anyOf', 'allOf', 'oneOf']);
      return definition(name, [
        withSpec({ type: 'object', properties: { a: { type: 'string' } }, [keyword]: branches }),
      ]);
    }
    case 3: {
      const columns = Array.from({ length: bytes / 60 }, (_, at) => ({
        name: `c${at}`,
        type: 'string',
        jsonPath: '..a..a',
      }));
      return definition(name, [withSpec({ type: 'object' })], { additionalPrinterColumns: columns });
    }
    default:
      return definition(name, [withSpec(wide(count, (index) => make(random, index)))]);
  }
}

const rules: readonly ((at: number) => string)[] = [
  () => 'self.all(x, self.all(y, x == y || x != y))',
  () => 'self.map(x, self).size() > 0',
  () => 'self.filter(x, x.matches("(a|b|c|[a-z]{1,100})*d")).size() >= 0',
  () => 'self.exists(x, x.contains("aaaaaaaaab"))',
  () => 'self.join(",").split(",").size() > 0',
  () => 'self.sort().size() > 0',
  (at) => `self.size() >= 0 && ${Array.from({ length: 30 }, (_, each) => `self.size() != ${at}${each}`).join(' && ')}`,
  () => 'sets.contains(self, self)',
  () => 'self.isSorted() || self.indexOf("zz") < 0',
];

/** CEL rules about one long text. For some of these rules, Kubernetes estimates no cost. */
const textRules: readonly string[] = [
  'self.size() > 0',
  'self == self',
  'self.lowerAscii() != "a"',
  'self.startsWith("b") || true',
  'string(bytes(self)) != ""',
  'self.indexOf("b") < 0',
];

/** Returns a definition with validation rules or match conditions, and an object that makes them expensive. */
export function hostileRule(
  random: SeededRandom,
  bytes: number,
  name: string,
): { readonly definition: string; readonly object: string } {
  const items = Array.from({ length: Math.min(50_000, bytes / 12) }, (_, at) => `a${at}`);
  const object = (spec: unknown) =>
    JSON.stringify({ apiVersion: `${name}.example.com/v1`, kind: 'Thing', metadata: { name: 'a' }, spec });
  const list = (more: Schema): Schema => ({ type: 'array', items: { type: 'string' }, ...more });
  const make = random.pick(rules);
  switch (random.below(7)) {
    case 0: {
      const checks = Array.from({ length: 1 + random.below(20) }, (_, at) => ({ rule: make(at) }));
      return {
        definition: definition(name, [withSpec(list({ 'x-kubernetes-validations': checks }))]),
        object: object(items),
      };
    }
    case 1: {
      const limited = list({ maxItems: 100, items: { type: 'string', maxLength: 20 } });
      const checks = [{ rule: make(0) }];
      const schema = { type: 'object', additionalProperties: { ...limited, 'x-kubernetes-validations': checks } };
      const groups = Object.fromEntries(items.slice(0, bytes / 600).map((key) => [key, items.slice(0, 50)]));
      return { definition: definition(name, [withSpec(schema)]), object: object(groups) };
    }
    case 2: {
      const pattern = random.pick([
        '^(a|b|[a-z]{1,50})*$',
        '(a?){100}a{100}',
        '^[a-z]*[0-9]{1,200}$',
        'b$',
        '(?i)^\\pL+$',
      ]);
      return {
        definition: definition(name, [withSpec(list({ items: { type: 'string', pattern } }))]),
        object: object(random.below(2) === 0 ? items : ['a'.repeat(bytes)]),
      };
    }
    case 3: {
      const branch = { items: { anyOf: [{ pattern: '^b' }, { pattern: '^c' }, { minLength: 90 }] } };
      const branches = Array.from({ length: 1 + random.below(50) }, () => branch);
      const keyword = random.pick(['anyOf', 'oneOf', 'allOf']);
      return { definition: definition(name, [withSpec(list({ [keyword]: branches }))]), object: object(items) };
    }
    case 4: {
      // The server reports each unknown member with its path, which contains the long name.
      const long = 'x'.repeat(bytes / 4);
      const unknown = Object.fromEntries(items.slice(0, 5_000).map((key) => [key, 1]));
      const schema = { type: 'object', properties: { [long]: { type: 'object', properties: { known: {} } } } };
      return { definition: definition(name, [withSpec(schema)]), object: object({ [long]: unknown }) };
    }
    case 5: {
      const text = random.pick(textRules);
      const rule = (at: number) => `${Array(40).fill(`(${text})`).join(' && ')} && ${at} >= 0`;
      const checks = Array.from({ length: 1 + random.below(100) }, (_, at) => ({ rule: rule(at) }));
      const schema = { type: 'string', 'x-kubernetes-validations': checks };
      return { definition: definition(name, [withSpec(schema)]), object: object('a'.repeat(bytes)) };
    }
    default: {
      const unique = list({ 'x-kubernetes-list-type': 'set', enum: items.slice(0, 100) });
      return { definition: definition(name, [withSpec(unique)]), object: object([...items, ...items.slice(0, 20)]) };
    }
  }
}
