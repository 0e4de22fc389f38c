import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/meta.ts';
import { type DraftState, draftReducer, hasUpstreamChanges, isDirty, startDraft } from './draft-state.ts';
import { mergeDraft } from './merge/merge-draft.ts';
import { editableText } from './object-draft.ts';

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
const mine = editableText(base).replace('a: 1', 'a: 2 # why');

describe('a draft', () => {
  it('follows the object until the user edits it', () => {
    const state = live(startDraft(base), thing('10', { a: 5, b: 1 }));
    expect(state.text).toContain('a: 5');
    expect(isDirty(state)).toBe(false);
  });

  it('keeps the edits and moves to the newest version if only server-managed fields change', () => {
    const state = live(typed(startDraft(base), mine), thing('10', { a: 1, b: 1 }, { phase: 'Ready' }));
    expect(state.text).toBe(mine);
    expect(state.base.metadata.resourceVersion).toBe('10');
    expect(hasUpstreamChanges(state)).toBe(false);
  });

  it('keeps the edits and reports an upstream change; older versions are ignored', () => {
    const state = live(typed(startDraft(base), mine), thing('10', { a: 1, b: 2 }));
    expect(state.text).toBe(mine);
    expect(hasUpstreamChanges(state)).toBe(true);
    expect(live(state, thing('8', { a: 1, b: 3 }))).toBe(state);
  });

  it('merges upstream changes, keeps its comments and continues from the new base', () => {
    const state = live(typed(startDraft(base), mine), thing('10', { a: 1, b: 2 }));
    const merged = mergeDraft(state, {});
    expect(merged).toEqual({ text: mine.replace('b: 1', 'b: 2'), conflicts: [] });
    const next = draftReducer(state, { type: 'merged', text: merged?.text ?? '' });
    expect(hasUpstreamChanges(next)).toBe(false);
    expect(isDirty(next)).toBe(true);
    expect(next.base.metadata.resourceVersion).toBe('10');
  });

  it('reports a conflict if both sides changed a field, and resolves it as chosen', () => {
    const state = live(typed(startDraft(base), mine), thing('10', { a: 3, b: 1 }));
    expect(mergeDraft(state, {})).toMatchObject({ conflicts: [{ steps: ['spec', 'a'], base: 1, mine: 2, theirs: 3 }] });
    expect(mergeDraft(state, { choose: () => 'theirs' })?.text).toBe(editableText(thing('10', { a: 3, b: 1 })));
    expect(mergeDraft({ ...state, text: 'a: b: c' }, {})).toBeUndefined();
  });

  it('is restored later, together with the changes since', () => {
    const state = startDraft(thing('11', { a: 1, b: 9 }), { base, text: mine });
    expect(state).toMatchObject({ text: mine, base });
    expect(hasUpstreamChanges(state)).toBe(true);
  });

  it('is clean after it is saved, discarded, or equal to the new version', () => {
    const state = live(typed(startDraft(base), mine), thing('10', { a: 1, b: 2 }));
    expect(isDirty(draftReducer(state, { type: 'discarded' }))).toBe(false);
    expect(isDirty(draftReducer(state, { type: 'saved', object: thing('11', { a: 2, b: 2 }) }))).toBe(false);
    const same = thing('10', { a: 7, b: 1 });
    expect(isDirty(live(typed(startDraft(base), editableText(same)), same))).toBe(false);
  });
});
