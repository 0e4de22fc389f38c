import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/meta.ts';
import { type DraftState, draftReducer, hasChangedMeanwhile, isDirty, startDraft } from './draft-state.ts';
import { mergeDraft } from './merge-draft.ts';
import { writtenText } from './object-draft.ts';

function thing(resourceVersion: string, spec: object, status: object = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'a', uid: 'u', resourceVersion },
    spec,
    status,
  } as unknown as KubeObject;
}

const base = thing('9', { a: 1, b: 1 });
const typed = (state: DraftState, text: string) => draftReducer(state, { type: 'typed', text });
const live = (state: DraftState, object: KubeObject) => draftReducer(state, { type: 'live', object });
const mine = writtenText(base).replace('a: 1', 'a: 2 # why');

describe('a text that somebody writes', () => {
  it('follows the object for as long as nothing is typed', () => {
    const state = live(startDraft(base), thing('10', { a: 5, b: 1 }));
    expect(state.text).toContain('a: 5');
    expect(isDirty(state)).toBe(false);
  });

  it('stays as it was typed, over the newest version, while only the server writes its own', () => {
    const state = live(typed(startDraft(base), mine), thing('10', { a: 1, b: 1 }, { phase: 'Ready' }));
    expect(state.text).toBe(mine);
    expect(state.base.metadata.resourceVersion).toBe('10');
    expect(hasChangedMeanwhile(state)).toBe(false);
  });

  it('stays as it was typed when somebody changes the object, which is then told; older news is passed over', () => {
    const state = live(typed(startDraft(base), mine), thing('10', { a: 1, b: 2 }));
    expect(state.text).toBe(mine);
    expect(hasChangedMeanwhile(state)).toBe(true);
    expect(live(state, thing('8', { a: 1, b: 3 }))).toBe(state);
  });

  it('takes in what changed with its comments kept, and goes on from there', () => {
    const state = live(typed(startDraft(base), mine), thing('10', { a: 1, b: 2 }));
    const merged = mergeDraft(state, {});
    expect(merged).toEqual({ text: mine.replace('b: 1', 'b: 2'), conflicts: [] });
    const next = draftReducer(state, { type: 'merged', text: merged?.text ?? '' });
    expect(hasChangedMeanwhile(next)).toBe(false);
    expect(isDirty(next)).toBe(true);
    expect(next.base.metadata.resourceVersion).toBe('10');
  });

  it('is a conflict where both changed the same, settled as chosen', () => {
    const state = live(typed(startDraft(base), mine), thing('10', { a: 3, b: 1 }));
    expect(mergeDraft(state, {})).toMatchObject({ conflicts: [{ steps: ['spec', 'a'], base: 1, mine: 2, theirs: 3 }] });
    expect(mergeDraft(state, { choose: () => 'theirs' })?.text).toBe(writtenText(thing('10', { a: 3, b: 1 })));
    expect(mergeDraft({ ...state, text: 'a: b: c' }, {})).toBeUndefined();
  });

  it('is found again later, with what changed since', () => {
    const state = startDraft(thing('11', { a: 1, b: 9 }), { base, text: mine });
    expect(state).toMatchObject({ text: mine, base });
    expect(hasChangedMeanwhile(state)).toBe(true);
  });

  it('is done with when it is saved, dropped, or just what came', () => {
    const state = live(typed(startDraft(base), mine), thing('10', { a: 1, b: 2 }));
    expect(isDirty(draftReducer(state, { type: 'dropped' }))).toBe(false);
    expect(isDirty(draftReducer(state, { type: 'saved', object: thing('11', { a: 2, b: 2 }) }))).toBe(false);
    const same = thing('10', { a: 7, b: 1 });
    expect(isDirty(live(typed(startDraft(base), writtenText(same)), same))).toBe(false);
  });
});
