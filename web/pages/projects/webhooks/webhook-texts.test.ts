import { expect, it } from 'vitest';
import { activityActions } from '../../../../src/api/management/v1/notifications/activity-record.ts';
import { actionLabels, describeActions, statusOf } from './webhook-texts.ts';

it('each action of activity records has a label', () => {
  expect(Object.keys(actionLabels).sort()).toEqual([...activityActions].sort());
  expect(describeActions([])).toBe('All');
  expect(describeActions(['Slept', 'Failed'])).toBe('Went to sleep, Failed');
});

it('a suspended webhook is shown as suspended, whatever happened before', () => {
  const conditions = [{ type: 'Ready', status: 'False' as const }];
  const hook = { apiVersion: 'v1', kind: 'ProjectWebhook', metadata: {}, status: { conditions } };
  const spec = { url: 'https://example.com/' };
  expect(statusOf({ ...hook, spec })).toEqual({ status: 'Failing', tone: 'bad' });
  expect(statusOf({ ...hook, spec: { ...spec, suspend: true } }).status).toBe('Suspended');
  expect(statusOf({ ...hook, spec, status: {} }).status).toBe('Pending');
});
