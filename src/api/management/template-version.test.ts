import { describe, expect, it } from 'vitest';
import { compareVersions, isTemplateVersion, isVersionPattern, newestVersion } from './template-version.ts';

const versions = ['1.0.0', '1.2.0', '1.10.3', '2.0.0-rc.1', '1.10.2', '0.9.0'];

describe('template versions', () => {
  it.each([
    ['', '1.10.3'],
    ['1.x.x', '1.10.3'],
    ['1.2.x', '1.2.0'],
    ['1', '1.10.3'],
    ['x.x.x', '1.10.3'],
    ['1.0.0', '1.0.0'],
    ['v1.0.0', '1.0.0'],
    ['2.0.0-rc.1', '2.0.0-rc.1'],
    ['2.x.x', undefined],
    ['1.0.1', undefined],
    ['nonsense', undefined],
  ])('resolve %j to the newest match: %s (completions §7)', (pattern, expected) => {
    expect(newestVersion(versions, pattern)).toBe(expected);
  });

  it('resolve to the newest pre-release if there is no release', () => {
    expect(newestVersion(['1.0.0-rc.2', '1.0.0-rc.10'], '')).toBe('1.0.0-rc.10');
    expect(newestVersion([], '')).toBeUndefined();
  });

  it('sort as semantic versions', () => {
    const sorted = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
    ];
    expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
  });

  it('are distinguished from version patterns', () => {
    expect(['1.2.3', 'v1.2.3', '1.2.3-a.b+c'].every(isTemplateVersion)).toBe(true);
    expect(['1.2', '01.2.3', '1.x.x', '', 'latest'].some(isTemplateVersion)).toBe(false);
    expect(['', '1', '1.x', '1.x.x', '1.2.3'].every(isVersionPattern)).toBe(true);
    expect(['latest', '1.x.x.x', '>=1.0.0'].some(isVersionPattern)).toBe(false);
  });
});
