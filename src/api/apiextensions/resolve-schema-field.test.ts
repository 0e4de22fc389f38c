import { describe, expect, it } from 'vitest';
import { resolveSchemaField } from './resolve-schema-field.ts';

const schema = { properties: { spec: { properties: { "it's": { type: 'string' } } } } };

describe('the path of a field in a schema', () => {
  it('leads to the schema of the field', () => {
    expect(resolveSchemaField(".spec['it\\'s']", schema, true)).toEqual({
      path: "spec.it's",
      root: 'spec',
      schema: { type: 'string' },
    });
  });

  it.each([
    ["'\\".repeat(500_000), "expected [ or . but got: '"],
    [`.spec['${"\\'".repeat(500_000)}`, "expected single quoted string but got '"],
    [`.${"'\\".repeat(500_000)}`, 'does not refer to a valid field'],
  ])('is read in linear time if its quotes are not closed', (path, fault) => {
    const before = process.cpuUsage();
    expect(resolveSchemaField(path, schema, true)).toEqual({ fault });
    const { user, system } = process.cpuUsage(before);
    // Searching the rest of the path for the end of each quote would take minutes.
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });
});
