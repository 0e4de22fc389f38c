import { expect, it } from 'vitest';
import { kindText, summarizeItems } from './offboarding-items.ts';

it('the summary of an offboarding names numbers of objects in words, and what changes something first', () => {
  const items = (
    [
      ['Keep', 'AccessKey'],
      ['Disable', 'User'],
      ['Delete', 'AccessKey'],
      ['Delete', 'AccessKey'],
      ['Delete', 'User'],
      ['Transfer', 'VirtualClusterInstance'],
      ['Transfer', 'VirtualClusterInstance'],
      ['Transfer', 'VirtualClusterInstance'],
      ['Transfer', 'SpaceInstance'],
      ['RemoveAccess', 'Project'],
      ['End', 'Token'],
    ] as const
  ).map(([action, kind]) => ({ kind, name: 'x', action }));
  expect(summarizeItems(items, 'planned')).toEqual([
    'Disable the user',
    'Delete 2 access keys and the user',
    'Transfer 3 virtual clusters and 1 space',
    'Remove access to 1 project',
    'End all tokens',
    'Keep 1 access key',
  ]);
  expect(summarizeItems(items, 'done')[3]).toBe('Removed access to 1 project');
  expect(summarizeItems([], 'done')).toEqual([]);
});

it('kinds have names in words', () => {
  expect(['VirtualClusterTemplate', 'ServiceAccountToken', 'ConfigMap'].map(kindText)).toEqual([
    'template',
    'service account token',
    'config map',
  ]);
});
