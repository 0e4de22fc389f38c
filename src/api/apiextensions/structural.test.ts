import { describe, expect, it } from 'vitest';
import { structuralErrors } from './structural.ts';

/** Returns a schema with members whose short patterns compile to a thousand instructions each. */
function patterned(members: number) {
  const member = (index: number) => [`p${index}`, { type: 'string', pattern: `a{1000}${index}` }] as const;
  return {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: members }, (_, index) => member(index))),
  };
}

describe('the patterns of a schema', () => {
  it('are rejected if compiling all of them takes too long', () => {
    expect(structuralErrors(patterned(20), 'schema')).toEqual([]);
    expect(structuralErrors(patterned(2_000), 'schema')).toEqual([
      {
        type: 'FieldValueInvalid',
        field: 'schema',
        message: 'Invalid value: too complex: its conditions and patterns take too long to evaluate',
      },
    ]);
  });

  it('are rejected before they are compiled if their repetitions are too large', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: 'a{1000}'.repeat(400_000) } } };
    const [error, ...others] = structuralErrors(schema, 'schema');
    expect(others).toEqual([]);
    expect(error?.field).toBe('schema.properties[a].pattern');
    expect(error?.message).toMatch(
      /must be a valid regular expression, but isn't: must have fewer repetitions: they expand to 400000000 instructions, and at most 5000 are allowed$/,
    );
  });
});
