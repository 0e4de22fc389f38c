/** The JSON of a CustomResourceDefinition or of part of one. */
type Json = Record<string, unknown>;

export interface DefinitionCase {
  readonly title: string;
  readonly definition: Json;
}

export const testGroup = 'cases.example.com';

/** Returns a valid CustomResourceDefinition with one version. `spec` and `metadata` override its members. */
export function definitionJson(plural: string, spec: Json = {}, metadata: Json = {}): Json {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${testGroup}`, ...metadata },
    spec: {
      group: testGroup,
      names: { plural, kind },
      scope: 'Namespaced',
      versions: [definitionVersionJson()],
      ...spec,
    },
  };
}

export function definitionVersionJson(more: Json = {}, schema: Json = { type: 'object' }): Json {
  return { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
}

const withSchema = (schema: Json, more: Json = {}): Json =>
  definitionJson('wrongs', { versions: [definitionVersionJson(more, schema)] });
const withSpec = (spec: Json, more: Json = {}): Json => withSchema({ type: 'object', properties: { spec } }, more);

const status = { subresources: { status: {} } };

/** CustomResourceDefinitions that Kubernetes rejects. */
export const rejectedDefinitions: readonly DefinitionCase[] = [
  ...Object.entries({
    'no spec': { spec: undefined },
    'an empty spec': { spec: {} },
    'another name': { metadata: { name: 'other.cases.example.com' } },
    'no name': { metadata: {} },
    'a name with capitals': { metadata: { name: 'Wrongs.cases.example.com' } },
  }).map(([title, part]) => ({ title, definition: { ...definitionJson('wrongs'), ...(part as Json) } })),
  ...Object.entries<Json>({
    'no group': { group: '' },
    'a group without a dot': { group: 'cases' },
    'a group with capitals': { group: 'Cases.example.com' },
    'no names': { names: {} },
    'a plural with capitals': { names: { plural: 'Wrongs', kind: 'Wrong' } },
    'a plural with a digit first': { names: { plural: '1wrongs', kind: 'Wrong' } },
    'a kind with a dash': { names: { plural: 'wrongs', kind: 'Wrong-' } },
    'a kind that is its list': { names: { plural: 'wrongs', kind: 'Wrong', listKind: 'Wrong' } },
    'odd short names and categories': {
      names: { plural: 'wrongs', kind: 'Wrong', shortNames: ['W', 'ok'], categories: ['All', 'x_y'] },
    },
    'a long kind': { names: { plural: 'wrongs', kind: 'W'.repeat(64) } },
    'an odd singular': { names: { plural: 'wrongs', kind: 'Wrong', singular: 'Wrong one' } },
    'no scope': { scope: '' },
    'another scope': { scope: 'Galaxy' },
    'no stored version': { versions: [definitionVersionJson({ storage: false })] },
    'two stored versions': { versions: [definitionVersionJson(), definitionVersionJson({ name: 'v2' })] },
    'one version twice': { versions: [definitionVersionJson(), definitionVersionJson({ storage: false })] },
    'a version with capitals': { versions: [definitionVersionJson({ name: 'V1' })] },
    'a version without a name': { versions: [definitionVersionJson({ name: '' })] },
    'a version without a schema': { versions: [definitionVersionJson({ schema: undefined })] },
    'a version with an empty schema': { versions: [definitionVersionJson({ schema: {} })] },
    'two versions, one without a schema': {
      versions: [definitionVersionJson(), definitionVersionJson({ name: 'v2', storage: false, schema: undefined })],
    },
    'a warning without deprecation': { versions: [definitionVersionJson({ deprecationWarning: 'x' })] },
    'an empty warning': { versions: [definitionVersionJson({ deprecated: true, deprecationWarning: '' })] },
    'a long warning': { versions: [definitionVersionJson({ deprecated: true, deprecationWarning: 'x'.repeat(257) })] },
    'an unprintable warning': {
      versions: [definitionVersionJson({ deprecated: true, deprecationWarning: 'a\u0007b' })],
    },
    preserveUnknownFields: { preserveUnknownFields: true },
    'no strategy': { conversion: {} },
    'another strategy': { conversion: { strategy: 'Magic' } },
    'a webhook without the strategy': {
      conversion: {
        strategy: 'None',
        webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1'] },
      },
    },
  }).map(([title, spec]) => ({ title, definition: definitionJson('wrongs', spec) })),
  ...Object.entries<Json>({
    'no scale paths': { scale: {} },
    'scale paths elsewhere': { scale: { specReplicasPath: '.status.x', statusReplicasPath: '.spec.x' } },
    'scale paths without a dot': { scale: { specReplicasPath: 'spec.x', statusReplicasPath: 'status.x' } },
    'a selector elsewhere': {
      scale: { specReplicasPath: '.spec.x', statusReplicasPath: '.status.x', labelSelectorPath: '.metadata.x' },
    },
    'a selector without a dot': {
      scale: { specReplicasPath: '.spec.x', statusReplicasPath: '.status.x', labelSelectorPath: 'x' },
    },
  }).map(([title, subresources]) => ({
    title,
    definition: definitionJson('wrongs', { versions: [definitionVersionJson({ subresources })] }),
  })),
  ...Object.entries<Json[]>({
    'an empty column': [{}],
    'a column of another type': [{ name: 'x', type: 'colour', jsonPath: '.x' }],
    'a column of another format': [{ name: 'x', type: 'string', format: 'colour', jsonPath: '.x' }],
    'a column with a bad path': [{ name: 'x', type: 'string', jsonPath: 'x' }],
    'a right column and two that are not': [
      { name: 'x', type: 'string', jsonPath: '.x' },
      { name: '', type: 'date', jsonPath: '.x' },
      { name: 'y', type: '', jsonPath: '' },
    ],
  }).map(([title, additionalPrinterColumns]) => ({
    title,
    definition: definitionJson('wrongs', { versions: [definitionVersionJson({ additionalPrinterColumns })] }),
  })),
  ...Object.entries<Json[]>({
    'an empty field': [{}],
    'a field that is not there': [{ jsonPath: '.spec.none' }],
    'a field without a dot': [{ jsonPath: 'spec.host' }],
    'a field with brackets': [{ jsonPath: '.spec.list[0]' }],
    'a field of metadata': [{ jsonPath: '.metadata.name' }],
    'a field that is an object': [{ jsonPath: '.spec' }],
    'a field that is a list': [{ jsonPath: '.spec.list' }],
    'a field twice': [{ jsonPath: '.spec.host' }, { jsonPath: '.spec.host' }],
    'an unfinished field': [{ jsonPath: '.spec.' }],
    'nine fields': Array.from({ length: 9 }, (_, at) => ({ jsonPath: `.spec.f${at}` })),
  }).map(([title, selectableFields]) => ({
    title: `selectable: ${title}`,
    definition: withSpec(
      {
        type: 'object',
        properties: {
          host: { type: 'string' },
          list: { type: 'array', items: { type: 'string' } },
          map: { type: 'object', additionalProperties: { type: 'string' } },
          ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, { type: 'string' }])),
        },
      },
      { selectableFields },
    ),
  })),
  ...['sea.k8s.io', 'kubernetes.io', 'a.kubernetes.io'].flatMap((protectedGroup) =>
    [undefined, 'yes', 'https://'].map((approval) => ({
      title: `the group ${protectedGroup} with the approval ${approval}`,
      definition: {
        ...definitionJson('wrongs', { group: protectedGroup }),
        metadata: {
          name: `wrongs.${protectedGroup}`,
          ...(approval === undefined ? {} : { annotations: { 'api-approved.kubernetes.io': approval } }),
        },
      },
    })),
  ),
];

/** Schemas that Kubernetes rejects at the root of an object. */
export const rejectedRootSchemas: readonly DefinitionCase[] = Object.entries<Json>({
  'no type': {},
  'a text': { type: 'string' },
  nullable: { type: 'object', nullable: true },
  additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
  'metadata with labels': { type: 'object', properties: { metadata: { type: 'object', properties: { labels: {} } } } },
  'metadata with a description': { type: 'object', properties: { metadata: { type: 'object', description: 'x' } } },
  'metadata without a type': { type: 'object', properties: { metadata: {} } },
  'a kind that is a number': { type: 'object', properties: { kind: { type: 'integer' }, apiVersion: {} } },
  'defaults in metadata': {
    type: 'object',
    properties: { kind: { type: 'string', default: 'x' }, metadata: { type: 'object', default: {} } },
  },
  'a resource inside metadata': {
    type: 'object',
    properties: { kind: { type: 'string', 'x-kubernetes-embedded-resource': true } },
  },
  'conditions about what is not there': {
    type: 'object',
    properties: { a: { type: 'string' } },
    allOf: [{ properties: { b: { minLength: 1 } } }],
    anyOf: [{ properties: { a: { items: { minLength: 1 } } } }],
    oneOf: [{ required: ['c'] }],
    not: { properties: { a: { properties: { d: {} } } } },
  },
}).flatMap(([title, schema]) => [
  { title: `root: ${title}`, definition: withSchema(schema) },
  { title: `root with status: ${title}`, definition: withSchema(schema, status) },
]);

/** Schemas that Kubernetes rejects for the member `spec`. */
export const rejectedSpecSchemas: readonly DefinitionCase[] = Object.entries<Json>({
  'no type': {},
  'another type': { type: 'colour' },
  'the type null': { type: 'null' },
  'a list without items': { type: 'array' },
  'a list of lists': { type: 'array', items: [{ type: 'string' }] },
  'items without a type': { type: 'array', items: {} },
  'members without a type': { type: 'object', properties: { a: {}, b: { properties: { c: {} } } } },
  'a map without a type': { type: 'object', additionalProperties: {} },
  'members and a map': {
    type: 'object',
    properties: { a: { type: 'string' } },
    additionalProperties: { type: 'string' },
  },
  'members and no others': { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
  uniqueItems: { type: 'array', items: { type: 'string' }, uniqueItems: true },
  id: { type: 'object', id: 'x' },
  $ref: { type: 'object', $ref: '#/x' },
  $schema: { type: 'object', $schema: 'http://x' },
  additionalItems: { type: 'array', items: { type: 'string' }, additionalItems: true },
  patternProperties: { type: 'object', patternProperties: { a: { type: 'string' } } },
  dependencies: { type: 'object', dependencies: { a: ['b'] } },
  definitions: { type: 'object', definitions: { a: { type: 'string' } } },
  'preserve false': { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
  'a map type on a text': { type: 'string', 'x-kubernetes-map-type': 'atomic' },
  'a map type without a type': { 'x-kubernetes-map-type': 'atomic', 'x-kubernetes-preserve-unknown-fields': true },
  'another map type': { type: 'object', 'x-kubernetes-map-type': 'x' },
  'a list type on an object': { type: 'object', 'x-kubernetes-list-type': 'atomic' },
  'another list type': { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'x' },
  'a set of objects': { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
  'a set of sets': {
    type: 'array',
    'x-kubernetes-list-type': 'set',
    items: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
  },
  'a set that may hold null': {
    type: 'array',
    'x-kubernetes-list-type': 'set',
    items: { type: 'string', nullable: true },
  },
  'keys without the type': { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-map-keys': ['a'] },
  'keys of a set': {
    type: 'array',
    items: { type: 'string' },
    'x-kubernetes-list-type': 'set',
    'x-kubernetes-list-map-keys': ['a'],
  },
  'a map without keys': { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
  'a map of texts': {
    type: 'array',
    items: { type: 'string' },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  },
  'a key that is not a member': {
    type: 'array',
    items: { type: 'object', properties: { b: { type: 'string' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  },
  'a key twice': {
    type: 'array',
    items: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a', 'a'],
  },
  'a key that is an object': {
    type: 'array',
    items: { type: 'object', required: ['a'], properties: { a: { type: 'object' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  },
  'a key that may be missing or null': {
    type: 'array',
    items: { type: 'object', nullable: true, properties: { a: { type: 'string', nullable: true } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  },
  'int-or-string and more': {
    'x-kubernetes-int-or-string': true,
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-embedded-resource': true,
  },
  'a resource that is a text': { type: 'string', 'x-kubernetes-embedded-resource': true },
  'a resource without anything': { type: 'object', 'x-kubernetes-embedded-resource': true },
  'a resource that is a map': {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    additionalProperties: { type: 'string' },
  },
  'a bad pattern': { type: 'string', pattern: '(' },
  'another bad pattern': { type: 'string', pattern: 'a{2,1}' },
  'a type in anyOf': { type: 'string', anyOf: [{ type: 'string' }] },
  'everything in a condition': {
    type: 'object',
    not: {
      type: 'object',
      title: 'x',
      description: 'x',
      nullable: true,
      default: {},
      additionalProperties: { type: 'string' },
      properties: { metadata: {}, a: { 'x-kubernetes-int-or-string': true } },
      items: { 'x-kubernetes-embedded-resource': true },
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-list-map-keys': ['a'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-map-type': 'atomic',
      'x-kubernetes-validations': [{ rule: 'true' }],
    },
  },
  'a default of another type': { type: 'string', default: 5 },
  'a default with unknown members': {
    type: 'object',
    properties: { a: { type: 'string' } },
    default: { a: 'x', b: 'y' },
  },
  'a default that is too long': { type: 'object', properties: { a: { type: 'string', maxLength: 1, default: 'ab' } } },
  'a default of a list': { type: 'array', items: { type: 'string' }, default: ['a', 5, {}] },
  'a default of an item': { type: 'array', items: { type: 'string', default: 5 } },
  'a default that lacks a member': {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'object', required: ['b'], properties: { b: { type: 'string' } }, default: {} } },
  },
  'a default of an enum': { type: 'string', enum: ['a', 'b'], default: 'c' },
  'an empty rule': { type: 'object', 'x-kubernetes-validations': [{ rule: ' ' }, {}] },
  'rules with bad texts': {
    type: 'object',
    properties: { a: { type: 'string' } },
    'x-kubernetes-validations': [
      { rule: 'true', message: ' ' },
      { rule: 'true', message: 'a\nb' },
      { rule: 'true\n&& true' },
      { rule: 'true', messageExpression: ' ' },
      { rule: 'true', reason: 'Because' },
      { rule: 'true', fieldPath: ' ' },
      { rule: 'true', fieldPath: '.b' },
      { rule: 'true', fieldPath: '.a\n' },
    ],
  },
}).map(([title, spec]) => ({ title, definition: withSpec(spec) }));

const text = { type: 'string' };
const rules = (...list: readonly (string | Json)[]): Json => ({
  'x-kubernetes-validations': list.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});

/** Schemas of the member `spec` whose validation rules (`x-kubernetes-validations`) Kubernetes rejects. */
export const rejectedRules: readonly DefinitionCase[] = Object.entries<Json>({
  'a rule that is not an expression': { type: 'object', properties: { a: text }, ...rules('self.a ==') },
  'a rule about what is not there': { type: 'object', properties: { a: text }, ...rules('self.b == 1') },
  'a rule that compares a text and a number': { type: 'object', properties: { a: text }, ...rules('self.a == 1') },
  'a rule that is not a condition': { type: 'object', properties: { a: text }, ...rules('self.a') },
  'a rule that costs too much': {
    type: 'array',
    items: { type: 'array', items: text },
    ...rules('self.all(x, self.all(y, x == y))'),
  },
  'a rule about the past of an item': {
    type: 'array',
    maxItems: 5,
    items: { type: 'object', properties: { a: text }, ...rules('self.a == oldSelf.a') },
  },
  'a message that is not a text': {
    type: 'object',
    properties: { a: text },
    ...rules({ rule: 'true', messageExpression: '1 + 1' }),
  },
  'an optional past that no rule asks for': {
    type: 'object',
    properties: { a: text },
    ...rules({ rule: 'true', optionalOldSelf: true }),
  },
  'a default that a rule refuses': {
    type: 'object',
    properties: {
      a: { type: 'object', default: { b: 5 }, properties: { b: { type: 'integer' } }, ...rules('self.b < 3') },
    },
  },
}).map(([title, spec]) => ({ title, definition: withSpec(spec) }));
