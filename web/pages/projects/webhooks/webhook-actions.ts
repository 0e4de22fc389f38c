import type { ProjectWebhook } from '../../../../src/api/management/v1/notifications/project-webhook.ts';
import type { ProjectWebhookTestResult } from '../../../../src/api/management/v1/notifications/project-webhook-test.ts';
import { notify } from '../../../components/notifications.tsx';
import { kinds, type ObjectKey } from '../../../data/kind-ref.ts';
import { patchObject, postSubresource } from '../../../data/objects/objects.ts';

export function placeOf({ metadata: { namespace = '', name = '' } }: ProjectWebhook): ObjectKey {
  return { namespace, name };
}

/** Sends a test event and shows the result. */
export async function sendTest(webhook: ProjectWebhook): Promise<void> {
  const { name = '' } = webhook.metadata;
  try {
    const { status } = await postSubresource<{ status?: ProjectWebhookTestResult }>(
      kinds.webhook,
      placeOf(webhook),
      'test',
      {},
    );
    const { delivered = false, message = '', durationMilliseconds = 0 } = status ?? {};
    if (delivered) notify.done(`Test event of ${name} delivered in ${durationMilliseconds} ms: ${message}`);
    else notify.failed(`Test event of ${name} was not delivered`, new Error(message));
  } catch (error) {
    notify.failed(`Failed to send a test event to ${name}`, error);
  }
}

/** Suspends a webhook, or resumes a suspended one. */
export async function suspendWebhook(webhook: ProjectWebhook): Promise<void> {
  const { name = '' } = webhook.metadata;
  const isSuspended = webhook.spec?.suspend === true;
  try {
    await patchObject(kinds.webhook, placeOf(webhook), { spec: { suspend: isSuspended ? null : true } });
    notify.done(isSuspended ? `Resumed ${name}` : `Suspended ${name}`);
  } catch (error) {
    notify.failed(isSuspended ? `Failed to resume ${name}` : `Failed to suspend ${name}`, error);
  }
}
