import type { ResourceKind } from '../../src/api/resource.ts';
import type { Schema } from '../../src/api/schema/schema.ts';

/**
 * A kind that both servers serve: this server as a resource of a plane, kube-apiserver from a CustomResourceDefinition.
 */
export interface SharedKind extends Omit<ResourceKind, 'columns'> {
  readonly hasStatus: boolean;
  readonly columns?: readonly SharedColumn[];
}

export interface SharedColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly description: string;
  readonly priority?: number;
  /** A path such as `spec.color`. */
  readonly path: string;
}

const text: Schema = { type: 'string' };

/** The schema of a gadget's spec. It has one field for each feature of a structural schema. */
const gadgetSpec: Schema = {
  type: 'object',
  properties: {
    color: text,
    size: { type: 'integer', format: 'int64', minimum: 1, maximum: 1000 },
    big: { type: 'integer', format: 'int64' },
    small: { type: 'integer', format: 'int32' },
    ratio: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 10, exclusiveMaximum: true },
    real: { type: 'number' },
    steps: { type: 'integer', multipleOf: 5 },
    flag: { type: 'boolean' },
    mode: { type: 'string', default: 'plain', enum: ['plain', 'fancy', 'odd'] },
    code: { type: 'string', pattern: '^[a-z]+-[0-9]+$', minLength: 3, maxLength: 8 },
    when: { type: 'string', format: 'date-time' },
    parts: { type: 'array', items: text, minItems: 1, maxItems: 3 },
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'protocol'],
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: text,
          protocol: { type: 'string', default: 'TCP' },
          port: { type: 'integer' },
          opts: { type: 'object', properties: { a: text, b: text } },
        },
      },
    },
    rooms: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
      items: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, note: text } },
    },
    numbers: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
    things: { type: 'array', items: { type: 'object', properties: { a: text, b: { type: 'integer' } } } },
    labels: { type: 'object', additionalProperties: text, maxProperties: 3 },
    limits: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { x: { type: 'integer' }, y: text } },
    },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
    raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    half: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: { type: 'object', properties: { k: text } } },
    },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    ios: { 'x-kubernetes-int-or-string': true },
    maybe: { type: 'string', nullable: true },
    maybeDefault: { type: 'string', nullable: true, default: 'd' },
    nested: {
      type: 'object',
      default: {},
      properties: {
        level: { type: 'integer', default: 3 },
        deep: { type: 'object', properties: { a: text, d: { type: 'boolean', default: true } } },
      },
    },
    must: { type: 'object', required: ['a', 'b'], properties: { a: text, b: text, c: text } },
    embedded: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    email: { type: 'string', format: 'email' },
    ip: { type: 'string', format: 'ipv4' },
    bytes: { type: 'string', format: 'byte' },
    date: { type: 'string', format: 'date' },
    dur: { type: 'string', format: 'duration' },
    uri: { type: 'string', format: 'uri' },
    uuid: { type: 'string', format: 'uuid' },
    host: { type: 'string', format: 'hostname' },
    choice: {
      type: 'object',
      properties: { a: text, b: text },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    notX: { type: 'string', not: { enum: ['x'] } },
    two: { type: 'object', minProperties: 2, additionalProperties: { type: 'integer' } },
  },
};

const gadgetStatus: Schema = {
  type: 'object',
  properties: {
    phase: { type: 'string', enum: ['Up', 'Down'] },
    count: { type: 'integer' },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: { type: 'object', required: ['type', 'status'], properties: { type: text, status: text, reason: text } },
    },
  },
};

export const group = 'workshop.test';

/** A namespaced kind with a status subresource, columns and selectable fields. */
export const gadget: SharedKind = {
  group,
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  singular: 'gadget',
  shortNames: ['gd'],
  categories: ['all', 'workshop'],
  namespaced: true,
  hasStatus: true,
  description: 'A gadget.',
  schema: { type: 'object', properties: { spec: gadgetSpec, status: gadgetStatus } },
  columns: [
    { name: 'Color', type: 'string', path: 'spec.color', description: 'The color.' },
    { name: 'Size', type: 'integer', path: 'spec.size', description: 'The size.' },
    { name: 'Ratio', type: 'number', path: 'spec.ratio', description: 'The ratio.', priority: 1 },
    { name: 'Flag', type: 'boolean', path: 'spec.flag', description: 'The flag.' },
    { name: 'When', type: 'date', path: 'spec.when', description: 'When.' },
    { name: 'Raw', type: 'string', path: 'spec.raw', description: 'Raw.', priority: 1 },
    { name: 'Age', type: 'date', path: 'metadata.creationTimestamp', description: 'Age.' },
  ],
  selectableFields: ['spec.color', 'spec.size', 'spec.flag'],
};

/** A cluster-scoped kind with fields beside its spec, without a status subresource and columns. */
export const gizmo: SharedKind = {
  group,
  version: 'v1',
  kind: 'Gizmo',
  plural: 'gizmos',
  singular: 'gizmo',
  namespaced: false,
  hasStatus: false,
  description: 'A gizmo.',
  schema: {
    type: 'object',
    required: ['weight'],
    properties: {
      weight: { type: 'integer' },
      note: text,
      spec: { type: 'object', properties: { a: text } },
      status: { type: 'object', properties: { phase: text } },
    },
  },
};
