import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

const status = t.object(
  {
    delivered: t.boolean({ description: 'True if the receiver responded with a status code from 200 to 299.' }),
    code: t.optional(t.integer({ description: 'HTTP status code of the response. Absent if there was no response.' })),
    durationMilliseconds: t.integer({ description: 'Time until the response or the failure, in milliseconds.' }),
    message: t.string({ description: 'Result of the request.' }),
  },
  { description: 'Result of the request. Set by the server. Absent for a dry run, which sends nothing.' },
);

const schema = t.object({ status: t.optional(status) });

export type ProjectWebhookTestResult = Static<typeof status>;

export const projectWebhookTestKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ProjectWebhookTest',
  plural: 'projectwebhooktests',
  singular: 'projectwebhooktest',
  namespaced: true,
  description:
    'A request to send a test event to a webhook now. The event is an activity record with the action Test, which is not stored.',
  schema,
});
