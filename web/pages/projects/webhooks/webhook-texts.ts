import type { ProjectWebhook } from '../../../../src/api/management/v1/notifications/project-webhook.ts';
import type { BadgeTone } from '../../../components/object/status-badge.tsx';

/** The actions of activity records, with their display names. */
export const actionLabels = {
  Created: 'Created',
  Changed: 'Changed',
  Shared: 'Shared',
  SleepRequested: 'Sleep requested',
  WakeRequested: 'Wake requested',
  Deleted: 'Deleted',
  Ready: 'Ready',
  Slept: 'Went to sleep',
  Woke: 'Woke up',
  Failed: 'Failed',
  Recovered: 'Recovered',
} as const;

export type WebhookAction = keyof typeof actionLabels;

export function describeActions(actions: readonly WebhookAction[] | undefined): string {
  if (actions === undefined || actions.length === 0) return 'All';
  return actions.map((action) => actionLabels[action]).join(', ');
}

/** Returns the status badge of a webhook. */
export function statusOf({ spec, status }: ProjectWebhook): { readonly status: string; readonly tone: BadgeTone } {
  if (spec?.suspend === true) return { status: 'Suspended', tone: 'calm' };
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return { status: 'Ready', tone: 'good' };
  return ready?.status === 'False' ? { status: 'Failing', tone: 'bad' } : { status: 'Pending', tone: 'busy' };
}
