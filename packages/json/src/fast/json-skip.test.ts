import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMember, skipJson, walkMembers } from './json-skip.ts';

describe('skipping JSON', () => {
  it('finds the end of any value', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('', ',"x":1}', ']', '}'), (sent, rest) => {
        const text = JSON.stringify(JSON.parse(sent));
        expect(skipJson(`[1,${text}${rest}`, 3)).toBe(3 + text.length);
      }),
    );
  });

  it('finds every member of an object and no other', () => {
    const names = fc.constantFrom('a', 'b', 'ab', 'labels', 'metadata');
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), names, (sent, wanted) => {
        const object: Record<string, unknown> = JSON.parse(JSON.stringify(sent));
        const text = JSON.stringify(object);
        const at = findMember(text, 0, wanted);
        if (Object.hasOwn(object, wanted)) {
          expect(JSON.parse(text.slice(at, skipJson(text, at)))).toEqual(object[wanted]);
        } else expect(at).toBe(-1);
      }),
    );
  });

  it('visits all members and stops at the end of the object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (sent) => {
        const text = JSON.stringify(sent);
        const keys: string[] = [];
        const end = walkMembers(text, 0, (keyAt, keyEnd) => {
          keys.push(JSON.parse(text.slice(keyAt, keyEnd)));
          return false;
        });
        expect(keys).toEqual(Object.keys(JSON.parse(text)));
        expect(end).toBe(text.length - 1);
      }),
    );
  });

  it('rejects truncated text', () => {
    expect(() => skipJson('{"a":[1', 0)).toThrow(SyntaxError);
    expect(() => skipJson('"a', 0)).toThrow(SyntaxError);
  });
});
