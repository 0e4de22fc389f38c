import { expect, it } from 'vitest';
import { shareRole } from './share-role.ts';

it('the role of a share is the default role of the template', () => {
  expect(shareRole('view', 'cluster-admin')).toBe('view');
  expect(shareRole('admin', 'cluster-admin')).toBe('admin');
});

it('the role of a share is edit instead of the widest role, which somebody must choose', () => {
  expect(shareRole('cluster-admin', 'cluster-admin')).toBe('edit');
  expect(shareRole('admin', 'admin')).toBe('edit');
});
