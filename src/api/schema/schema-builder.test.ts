import { describe, expect, it } from 'vitest';
import { asSchema, type Static, t } from './schema-builder.ts';

const owner = t.object({ user: t.optional(t.string()), team: t.optional(t.string({ maxLength: 63 })) });
const sample = t.object(
  {
    name: t.string({ minLength: 1 }),
    phase: t.optional(t.enumOf(['Pending', 'Ready'], { default: 'Pending' })),
    owner: t.optional(owner),
    members: t.optional(t.array(t.object({ name: t.string() }), { mapKeys: ['name'] })),
    quotas: t.optional(t.map(t.integer())),
    values: t.optional(t.preserved()),
    since: t.optional(t.timestamp()),
  },
  { description: 'A sample.' },
);
type Sample = Static<typeof sample>;

describe('schema builders', () => {
  it('produce the structural schema that Kubernetes publishes', () => {
    expect(JSON.parse(JSON.stringify(asSchema(sample)))).toEqual({
      type: 'object',
      description: 'A sample.',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1 },
        phase: { type: 'string', enum: ['Pending', 'Ready'], default: 'Pending' },
        owner: { type: 'object', properties: { user: { type: 'string' }, team: { type: 'string', maxLength: 63 } } },
        members: {
          type: 'array',
          items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        quotas: { type: 'object', additionalProperties: { type: 'integer', format: 'int64' } },
        values: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        since: { type: 'string', format: 'date-time' },
      },
    });
  });

  it('add nothing else', () => {
    expect(Object.keys(asSchema(sample)).sort()).toEqual(['description', 'properties', 'required', 'type']);
  });

  it('do not modify their arguments, because the same schema may be required elsewhere', () => {
    const name = t.string();
    expect(asSchema(t.object({ a: t.optional(name), b: name }))).toEqual({
      type: 'object',
      required: ['b'],
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    });
  });

  it('infer the matching TypeScript type', () => {
    const value: Sample = {
      name: 'a',
      phase: 'Ready',
      owner: { user: 'u' },
      members: [{ name: 'm' }],
      quotas: { x: 1 },
    };
    expect(value.members?.[0]?.name).toBe('m');
  });
});
