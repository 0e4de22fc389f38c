import type { JsonValue } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeLines } from './merge-lines.ts';
import { threeWayMerge } from './three-way-merge.ts';

const base = { spec: { displayName: 'Shop', description: 'old', owner: { user: 'ada' } } };

const documents = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'b', 1, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('x', 'y', 'name', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('a three-way merge', () => {
  it('keeps changes of different fields, including added and removed fields', () => {
    const mine = { spec: { displayName: 'Web shop', description: 'old', owner: { user: 'ada' }, extra: 1 } };
    const theirs = { spec: { displayName: 'Shop', owner: { user: 'ada', team: 'sea' } } };
    expect(threeWayMerge(base, mine, theirs)).toEqual({
      merged: { spec: { displayName: 'Web shop', owner: { user: 'ada', team: 'sea' }, extra: 1 } },
      conflicts: [],
    });
  });

  it('reports a conflict with all three values if both sides changed a field, and resolves it as chosen', () => {
    const mine = { spec: { ...base.spec, description: 'mine' } };
    const theirs = { spec: { ...base.spec, description: 'theirs' } };
    const { merged, conflicts } = threeWayMerge(base, mine, theirs);
    expect(conflicts).toEqual([{ steps: ['spec', 'description'], base: 'old', mine: 'mine', theirs: 'theirs' }]);
    expect(merged).toEqual(mine);
    expect(threeWayMerge(base, mine, theirs, { choose: () => 'theirs' }).merged).toEqual(theirs);
  });

  it('reports a conflict if one side removed what the other changed', () => {
    const mine = { spec: { displayName: 'Shop', owner: { user: 'ada' } } };
    const theirs = { spec: { ...base.spec, description: 'new' } };
    expect(threeWayMerge(base, mine, theirs).conflicts).toEqual([
      { steps: ['spec', 'description'], base: 'old', mine: undefined, theirs: 'new' },
    ]);
    expect(threeWayMerge(base, mine, theirs, { choose: () => 'theirs' }).merged).toEqual(theirs);
  });

  it('merges lists of named items item by item', () => {
    const item = (name: string, image: string) => ({ name, image });
    const before = [item('a', '1'), item('b', '1'), item('c', '1')];
    const mine = [item('a', '2'), item('b', '1'), item('c', '1'), item('mine', '1')];
    const theirs = [item('a', '1'), item('c', '3'), item('theirs', '1')];
    expect(threeWayMerge(before, mine, theirs)).toEqual({
      merged: [item('a', '2'), item('c', '3'), item('mine', '1'), item('theirs', '1')],
      conflicts: [],
    });
  });

  it('prefers the list keys of the schema', () => {
    const port = (containerPort: number, name: string) => ({ containerPort: String(containerPort), name });
    const rules = { listKeys: () => ['containerPort'] };
    const { merged, conflicts } = threeWayMerge(
      [port(80, 'web')],
      [port(80, 'http')],
      [port(80, 'web'), port(81, 'x')],
      rules,
    );
    expect({ merged, conflicts }).toEqual({ merged: [port(80, 'http'), port(81, 'x')], conflicts: [] });
  });

  it('merges sets, and reports a conflict for lists whose order may matter', () => {
    const all = [
      ['a', 'b'],
      ['b', 'mine'],
      ['a', 'b', 'theirs'],
    ] as const;
    const [before, mine, theirs] = all.map((words) => [...words]) as [string[], string[], string[]];
    expect(threeWayMerge(before, mine, theirs, { isSet: () => true })).toEqual({
      merged: ['b', 'mine', 'theirs'],
      conflicts: [],
    });
    expect(threeWayMerge(before, mine, theirs).conflicts).toHaveLength(1);
  });

  it('takes one-sided and equal changes as they are, and finds the same conflicts in both directions', () => {
    fc.assert(
      fc.property(documents, documents, documents, (before, mine, theirs) => {
        expect(threeWayMerge(before, mine, before)).toEqual({ merged: mine, conflicts: [] });
        expect(threeWayMerge(before, before, theirs)).toEqual({ merged: theirs, conflicts: [] });
        expect(threeWayMerge(before, mine, mine)).toEqual({ merged: mine, conflicts: [] });
        const mirrored = threeWayMerge(before, theirs, mine, { choose: () => 'theirs' });
        expect(mirrored.conflicts).toHaveLength(threeWayMerge(before, mine, theirs).conflicts.length);
      }),
    );
  });
});

describe('a merge by lines', () => {
  it('keeps both changes, including comments', () => {
    const text = 'a: 1\nb: 2\nc: 3\nd: 4\n';
    expect(mergeLines(text, '# why\na: 1\nb: 2\nc: 3\nd: 4\n', 'a: 1\nb: 2\nc: 3\nd: 5\n')).toBe(
      '# why\na: 1\nb: 2\nc: 3\nd: 5\n',
    );
  });

  it('is undefined if both changes are at the same line', () => {
    expect(mergeLines('a: 1\nb: 2\n', 'a: 2\nb: 2\n', 'a: 3\nb: 2\n')).toBeUndefined();
    expect(mergeLines('a\nb\n', 'a\nmine\nb\n', 'a\ntheirs\nb\n')).toBeUndefined();
  });

  it('returns the changed text if the other side is unchanged', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        expect(mergeLines(before, after, before)).toBe(after);
        expect(mergeLines(before, before, after)).toBe(after);
      }),
    );
  });
});
