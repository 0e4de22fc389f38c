import { ageColumn, column } from '../../../columns.ts';
import { defineKind } from '../../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../../naming.ts';
import type { ObjectOf } from '../../../resource.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';
import { type Condition, conditionsSchema, observedGenerationSchema } from '../condition.ts';
import { displayNameSchema } from '../display-texts.ts';
import { activityActions } from './activity-record.ts';

export const maxWebhookUrlLength = 2_048;

const spec = t.object(
  {
    displayName: t.optional(displayNameSchema),
    url: t.string({
      description:
        'The https:// URL to which the server sends the records, one per POST request. The server setting webhooks.addresses limits the addresses.',
      maxLength: maxWebhookUrlLength,
    }),
    actions: t.optional(
      t.array(t.enumOf(activityActions, { description: 'An action of activity records.' }), {
        description: 'Actions of the records that are sent. If empty, all records of the project are sent.',
        listType: 'set',
        maxItems: activityActions.length,
      }),
    ),
    secret: t.optional(
      t.string({
        description:
          'Key of the signatures: whsec_ and 24 to 64 bytes in base64. Write-only: only the response to a create without a secret contains the one that the server generated.',
        maxLength: 128,
      }),
    ),
    suspend: t.optional(
      t.boolean({
        description:
          'If true, the server sends nothing. Records that are written in that time are never sent. Records that were queued before are sent afterwards.',
      }),
    ),
  },
  { description: 'Where to send which activity records of the project.' },
);

const status = t.object(
  {
    lastDeliveryTime: t.optional(t.timestamp({ description: 'Time of the last attempt to send a record.' })),
    lastDeliveryCode: t.optional(
      t.integer({ description: 'HTTP status code of the last response. Absent if there was no response.' }),
    ),
    lastDeliveryMessage: t.optional(t.string({ description: 'Result of the last attempt.' })),
    failures: t.optional(
      t.integer({
        description: 'Number of attempts that failed since the last successful one. Absent if there are none.',
      }),
    ),
    nextAttemptTime: t.optional(t.timestamp({ description: 'Time of the next attempt after a failed one.' })),
    droppedRecords: t.optional(
      t.integer({
        description: 'Number of records that were never delivered, because the server gave up or no longer had them.',
      }),
    ),
    lastDropTime: t.optional(t.timestamp({ description: 'Time at which records were last dropped.' })),
    lastDropMessage: t.optional(t.string({ description: 'Number of records that were dropped then, and why.' })),
    observedGeneration: observedGenerationSchema,
    conditions: t.optional(conditionsSchema),
  },
  { description: 'Result of the deliveries. Set by the server.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

type Fields = Static<typeof schema>;

export const webhookConditionTypes = ['Ready'] as const;

export const projectWebhookKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ProjectWebhook',
  plural: 'projectwebhooks',
  singular: 'projectwebhook',
  categories: [managementCategory],
  namespaced: true,
  // Some receivers' URLs contain a credential, so errors must not quote them.
  confidential: true,
  description:
    'An outgoing webhook of a project: the server sends activity records of the project to its URL, signed as Standard Webhooks.',
  schema,
  columns: [
    column('URL', 'spec.url', { description: 'URL to which records are sent.' }),
    column<Fields>('Status', ({ spec, status }) => webhookStatus(spec, status?.conditions), {
      description: 'Ready, Suspended, or the reason why it is not ready.',
      path: 'status.conditions',
    }),
    column('Last Delivery', 'status.lastDeliveryTime', {
      type: 'date',
      description: 'Time since the last attempt to send a record.',
    }),
    column('Code', 'status.lastDeliveryCode', {
      type: 'integer',
      description: 'HTTP status code of the last response.',
    }),
    column<Fields>('Failures', ({ status }) => status?.failures ?? 0, {
      type: 'integer',
      description: 'Number of failed attempts since the last successful one.',
      path: 'status.failures',
    }),
    ageColumn,
    column('Message', 'status.lastDeliveryMessage', { description: 'Result of the last attempt.', wide: true }),
  ],
});

export type ProjectWebhook = ObjectOf<typeof projectWebhookKind>;

/** Returns the status of a webhook in one word, for tables. */
export function webhookStatus(
  spec: { readonly suspend?: boolean } | undefined,
  conditions: readonly Condition[] = [],
): string {
  if (spec?.suspend === true) return 'Suspended';
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'Unknown') return 'Pending';
  return ready.status === 'True' ? 'Ready' : (ready.reason ?? 'NotReady');
}
