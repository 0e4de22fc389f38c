import { expect, it } from 'vitest';
import { activityActions } from '../../../../src/api/management/v1/notifications/activity-record.ts';
import { actionLabels, describeActions, statusOf } from './webhook-texts.ts';

it('has a label for each action of activity records', () => {
  expect(Object.keys(actionLabels).sort()).toEqual([...activityActions].sort());
  expect(describeActions([])).toBe('All');
  expect(describeActions(['Slept', 'Failed'])).toBe('Went to sleep, Failed');
});

it('shows a suspended webhook as such, whatever happened before', () => {
  const conditions = [{ type: 'Ready', status: 'False' as const }];
  const hook = { apiVersion: 'v1', kind: 'ProjectWebhook', metadata: {}, status: { conditions } };
  const spec = { url: 'https://example.com/' };
  expect(statusOf({ ...hook, spec })).toEqual({ status: 'Failing', tone: 'bad' });
  expect(statusOf({ ...hook, spec: { ...spec, suspend: true } }).status).toBe('Suspended');
  expect(statusOf({ ...hook, spec, status: {} }).status).toBe('Pending');
});
