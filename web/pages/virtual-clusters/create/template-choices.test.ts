import { expect, test } from 'vitest';
import { templateTitle, versionChoices } from './template-choices.ts';

function template(versions: readonly string[]) {
  return {
    apiVersion: 'v1',
    kind: 'VirtualClusterTemplate',
    metadata: { name: 'small' },
    spec: { versions: versions.map((version) => ({ version })) },
  };
}

test('versions are offered from the newest to the oldest, lines of them first', () => {
  expect(versionChoices(template(['1.0.0', '2.0.0-beta.1', '1.10.0', '1.9.0']))).toEqual([
    { value: '', label: 'Newest (now 1.10.0)' },
    { value: '1.x.x', label: 'Newest of 1.x.x (now 1.10.0)' },
    { value: '2.0.0-beta.1', label: 'Exactly 2.0.0-beta.1' },
    { value: '1.10.0', label: 'Exactly 1.10.0' },
    { value: '1.9.0', label: 'Exactly 1.9.0' },
    { value: '1.0.0', label: 'Exactly 1.0.0' },
  ]);
});

test('a template without versions offers none, and is called by its name where nobody gave it another', () => {
  expect(versionChoices(template([]))).toEqual([]);
  expect(templateTitle(template([]))).toBe('small');
});
