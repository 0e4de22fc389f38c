import { expect, it } from 'vitest';
import { displayNameOf } from './display-name.ts';

const template = { apiVersion: 'v1', kind: 'VirtualClusterTemplate', metadata: { name: 'small' } };

it('the display name of an object defaults to its name', () => {
  expect(displayNameOf({ ...template, spec: { displayName: 'Small' } })).toBe('Small');
  expect(displayNameOf({ ...template, spec: { displayName: '' } })).toBe('small');
  expect(displayNameOf(template)).toBe('small');
});
