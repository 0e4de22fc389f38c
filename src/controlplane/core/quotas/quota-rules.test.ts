import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta.ts';
import { quotaErrors } from './quota-rules.ts';

function errorsOf(spec: JsonValue): { count: number; characters: number } {
  const errors = quotaErrors({ metadata: { name: 'q' }, spec } as unknown as KubeObject, undefined);
  return { count: errors.length, characters: errors.reduce((sum, { message }) => sum + message.length, 0) };
}

describe('the errors of a quota', () => {
  const hard = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`count/r${at}.example`, '1']));

  it('are not much longer than its scopes, though each of them quotes all scopes', () => {
    const { count, characters } = errorsOf({ hard: { services: '1' }, scopes: new Array(20_000).fill('BestEffort') });
    expect(count).toBeGreaterThan(1);
    expect(characters).toBeLessThan(2_000_000);
  });

  it('are not much longer than its scope selector, though each of them quotes the whole selector', () => {
    const expression = { scopeName: 'BestEffort', operator: 'Exists' };
    const matchExpressions = new Array(10_000).fill(expression);
    const { count, characters } = errorsOf({ hard: { ...hard, services: '1' }, scopeSelector: { matchExpressions } });
    expect(count).toBeGreaterThan(0);
    expect(characters).toBeLessThan(3_000_000);
  });
});
