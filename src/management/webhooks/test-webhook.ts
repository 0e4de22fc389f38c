import { randomUUID } from 'node:crypto';
import { activityRecordKind } from '../../api/management/v1/notifications/activity-record.ts';
import { projectWebhookKind } from '../../api/management/v1/notifications/project-webhook.ts';
import {
  type ProjectWebhookTestResult,
  projectWebhookTestKind,
} from '../../api/management/v1/notifications/project-webhook-test.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta, timestamp } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { notFound, tooManyRequests } from '../../api/status.ts';
import { Semaphore } from '../../lib/queue/semaphore.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { actorOf } from '../activity/record-activity.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { computedObject } from '../subresources/computed-object.ts';
import { webhookSecretOf } from './project-webhooks.ts';
import { RecentTests } from './recent-tests.ts';

type Options = Pick<ManagementDependencies, 'state' | 'sealer' | 'clock' | 'webhookSender'>;

const kind = projectWebhookTestKind;

/** The maximum number of test events that are sent at a time. */
const maxConcurrent = 8;

/**
 * POST `projectwebhooks/<name>/test`: immediately sends a test event, even if the webhook is suspended, and returns the
 * result.
 */
export function testWebhook(options: Options): MountedSubresource {
  const { state, clock, webhookSender } = options;
  const recent = new RecentTests(clock);
  const slots = new Semaphore(maxConcurrent, 0);
  return {
    kind,
    verbs: {
      async createNamed(context, name, _sent, { dryRun }) {
        const { namespace, signal } = context;
        await state.caughtUp();
        const webhook = state.webhook(namespace, name);
        const secret = webhookSecretOf(namespace, name, options);
        if (webhook === undefined || secret === undefined) throw notFound(groupResourceOf(projectWebhookKind), name);
        if (dryRun) return computedObject(kind, { name, namespace }, {});
        const seconds = recent.secondsUntilAllowed(namespace);
        if (seconds > 0) throw tooManyRequests('too many test events in this project; try again later', seconds);
        if (slots.isFull) throw tooManyRequests('too many test events on this server; try again in a moment', 1);
        const release = await slots.acquire(signal);
        try {
          recent.add(namespace);
          const record = testRecord(webhook.metadata, context, clock.now());
          const result = await webhookSender.send({ url: webhook.spec?.url ?? '', secret, record, signal });
          const status: ProjectWebhookTestResult = result;
          return computedObject(kind, { name, namespace }, { status });
        } finally {
          release();
        }
      },
    },
  };
}

/** Returns a record about the webhook itself. No stored record has the action of this record. */
function testRecord(
  { name = '', namespace = '', uid = '' }: ObjectMeta,
  context: RequestContext,
  now: number,
): KubeObject {
  // Each test has a new ID, because receivers may drop a second message with the same ID.
  const id = `test-${randomUUID()}`;
  return {
    apiVersion: apiVersionOf(activityRecordKind),
    kind: activityRecordKind.kind,
    metadata: { name: id, namespace, uid: id, creationTimestamp: timestamp(now) },
    action: 'Test',
    type: 'Normal',
    actor: actorOf(context),
    message: 'test event',
    involvedObject: { kind: projectWebhookKind.kind, namespace, name, uid },
  };
}
