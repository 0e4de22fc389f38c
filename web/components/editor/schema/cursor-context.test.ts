import { describe, expect, it } from 'vitest';
import { cursorContext } from './cursor-context.ts';

/** `^` marks the cursor. */
function at(text: string): unknown {
  const lines = text.split('\n');
  const line = lines.findIndex((each) => each.includes('^'));
  const column = lines[line]?.indexOf('^') ?? 0;
  const place = cursorContext(
    lines.map((each) => each.replace('^', '')),
    line,
    column,
  );
  if (place === undefined) return undefined;
  return place.kind === 'name' ? [place.parent, place.present] : { value: place.steps, column: place.column };
}

describe('the cursor context', () => {
  it('is a name at the top level, with the existing members', () => {
    expect(at('apiVersion: v1\nki^\nmetadata:\n  name: a\n')).toEqual([[], ['apiVersion', 'metadata']]);
  });

  it('is a name in the object that the indentation determines', () => {
    expect(at('spec:\n  owner:\n    user: ada\n  ^')).toEqual([['spec'], ['owner']]);
    expect(at('spec:\n  owner:\n    ^')).toEqual([['spec', 'owner'], []]);
    expect(at('spec:\n  owner:\n    user: ada\n^')).toEqual([[], ['spec']]);
  });

  it('is a name in a list item, whether the list is indented or not', () => {
    expect(at('spec:\n  parameters:\n  - variable: a\n  - variable: b\n    ty^')).toEqual([
      ['spec', 'parameters', 1],
      ['variable'],
    ]);
    expect(at('spec:\n  parameters:\n    - ^')).toEqual([['spec', 'parameters', 0], []]);
    expect(at('spec:\n  parameters:\n  - variable: a\n  ^')).toEqual([['spec'], ['parameters']]);
  });

  it('is a value after a name', () => {
    expect(at('spec:\n  parameters:\n  - type: str^')).toEqual({
      value: ['spec', 'parameters', 0, 'type'],
      column: 10,
    });
    expect(at('"a b": ^')).toEqual({ value: ['a b'], column: 7 });
  });

  it('is undefined in comments and block scalars, and defined again after them', () => {
    expect(at('a: 1 # so^')).toBeUndefined();
    expect(at('a: |\n  b^\n')).toBeUndefined();
    expect(at('a: |\n  b: c\n\n  d\ne^')).toEqual([[], ['a']]);
  });
});
