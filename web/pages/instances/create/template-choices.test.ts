import { expect, test } from 'vitest';
import { versionChoices } from './template-choices.ts';

function template(versions: readonly string[]) {
  return {
    apiVersion: 'v1',
    kind: 'VirtualClusterTemplate',
    metadata: { name: 'small' },
    spec: { versions: versions.map((version) => ({ version })) },
  };
}

test('versions are offered newest first, after the version ranges', () => {
  expect(versionChoices(template(['1.0.0', '2.0.0-beta.1', '1.10.0', '1.9.0']))).toEqual([
    { value: '', label: 'Latest (currently 1.10.0)' },
    { value: '1.x.x', label: 'Latest 1.x.x (currently 1.10.0)' },
    { value: '2.0.0-beta.1', label: '2.0.0-beta.1' },
    { value: '1.10.0', label: '1.10.0' },
    { value: '1.9.0', label: '1.9.0' },
    { value: '1.0.0', label: '1.0.0' },
  ]);
});

test('a template without versions offers none', () => {
  expect(versionChoices(template([]))).toEqual([]);
});
