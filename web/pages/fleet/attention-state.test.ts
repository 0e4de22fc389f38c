import { describe, expect, it } from 'vitest';
import { attentionState } from './attention-state.ts';

const live = { state: 'live' } as const;

describe('the completeness of the data that needs attention', () => {
  it('is complete only if all lists are loaded and the caller may see everything', () => {
    expect(attentionState([live, live], { seesAll: true })).toBe('complete');
    expect(attentionState([live, live], { seesAll: false })).toBe('partial');
  });

  it('is partial if the caller may not list some of the objects', () => {
    expect(attentionState([live, { state: 'refused' }], { seesAll: true })).toBe('partial');
  });

  it('is unknown while lists load or the server does not respond', () => {
    expect(attentionState([{ state: 'loading' }, { state: 'refused' }], { seesAll: true })).toBe('loading');
    expect(attentionState([{ state: 'loading' }, { state: 'interrupted' }], { seesAll: true })).toBe('unavailable');
  });
});
