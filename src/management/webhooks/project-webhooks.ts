import { type FieldError, invalid, required } from '../../api/field-error.ts';
import { initialStatus } from '../../api/management/initial-status.ts';
import { projectWebhookKind, webhookConditionTypes } from '../../api/management/v1/notifications/project-webhook.ts';
import { type FieldsOf, groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { ProjectWebhookDraft } from '../drafts.ts';
import { requireDeletePermission, requireOwnerReferencePermission } from '../field-permissions.ts';
import { redactLastApplied } from '../redact-last-applied.ts';
import { projectOfDraft } from '../rules/project-of-draft.ts';
import type { ManagementState } from '../state.ts';
import { writableSpec } from '../writable-spec.ts';
import type { WebhookHidden } from './webhook-hidden.ts';
import { maxProjectWebhooks } from './webhook-queue.ts';
import { generateWebhookSecret, isWebhookSecret, webhookSecretRule } from './webhook-secret.ts';

const secretPurpose = 'project-webhook-secret';
const secretPaths = [['spec', 'secret']];

/** The guard of the limit on webhooks. */
const countGuard = 'webhooks-of-projects';

type Dependencies = Pick<ManagementDependencies, 'state' | 'sealer' | 'webhookSender'>;

/** The webhooks of projects. */
export function projectWebhookResource({ state, sealer, webhookSender }: Dependencies): StoredResource {
  const faults = new WeakMap<ProjectWebhookDraft, FieldError>();

  /** Removes the secret from the object and stores it sealed in the hidden part. */
  function takeSecret(draft: ProjectWebhookDraft): void {
    const spec = writableSpec(draft.object);
    const { secret: sent = '' } = spec;
    delete spec.secret;
    redactLastApplied(draft.object, secretPaths);
    if (sent === '' && draft.old !== undefined) return;
    if (sent !== '' && !isWebhookSecret(sent)) {
      const message = `Invalid value: ${webhookSecretRule}`;
      faults.set(draft, { type: 'FieldValueInvalid', field: 'spec.secret', message });
      return;
    }
    const sealed = draft.hidden.secret ?? '';
    if (sealed !== '' && sealer.open(secretPurpose, sealed) === sent) return;
    const secret = sent === '' ? generateWebhookSecret() : sent;
    draft.hidden.secret = sealer.seal(secretPurpose, secret);
    if (sent === '') draft.reveal = { spec: { secret } };
  }

  function urlErrors({ object, old }: ProjectWebhookDraft): FieldError[] {
    const url = object.spec?.url ?? '';
    if (url === '') return [required('spec.url', 'set the https:// URL of the receiver')];
    // If a changed setting no longer permits the stored URL, other changes of the webhook must still be possible. No
    // request is sent to such a URL.
    if (url === old?.object.spec?.url) return [];
    try {
      webhookSender.check(url);
      return [];
    } catch (error) {
      return [invalid('spec.url', url, error instanceof Error ? error.message : String(error))];
    }
  }

  return defineResource<FieldsOf<typeof projectWebhookKind>, WebhookHidden>({
    ...projectWebhookKind,
    hasStatus: true,
    serverOwnedStatus: true,
    gracePeriods: true,
    writeOnlyFields: secretPaths,
    async prepare(draft, context) {
      projectOfDraft(projectWebhookKind, draft, state);
      await requireOwnerReferencePermission(projectWebhookKind, draft, context);
      takeSecret(draft);
      if (draft.old !== undefined) return;
      const { namespace = '' } = draft.object.metadata;
      const unchanged = state.namespaceUnchanged(namespace);
      if (unchanged !== undefined) draft.requires = [unchanged];
      const { conditions, observedGeneration } = initialStatus(webhookConditionTypes, draft.object);
      draft.object.status = { conditions, observedGeneration };
      if (state.isShared()) draft.guards = [await state.takeGuard(countGuard, namespace)];
      refuseBeyondLimit(draft, state);
    },
    validate(draft) {
      const fault = faults.get(draft);
      return [...urlErrors(draft), ...(fault === undefined ? [] : [fault])];
    },
    // The requests that create webhooks in one project run one after another, because concurrent creates could exceed
    // the limit.
    createQueue: (_sent, context) => context.namespace,
    guardDelete: (record, context) => requireDeletePermission(projectWebhookKind, record, context),
  });
}

function refuseBeyondLimit({ object }: ProjectWebhookDraft, state: Pick<ManagementState, 'webhookCount'>): void {
  const { name = '', namespace = '' } = object.metadata;
  if (state.webhookCount(namespace) < maxProjectWebhooks) return;
  const detail = `the project already has ${maxProjectWebhooks} webhooks, which is the maximum; delete one that is not used`;
  throw forbidden(groupResourceOf(projectWebhookKind), name, detail);
}

/** Returns the secret of a webhook; `undefined` if the webhook does not exist. */
export function webhookSecretOf(
  namespace: string,
  name: string,
  { state, sealer }: { readonly state: Pick<ManagementState, 'webhookHidden'>; readonly sealer: Sealer },
): string | undefined {
  const sealed = state.webhookHidden(namespace, name)?.secret ?? '';
  return sealed === '' ? undefined : sealer.open(secretPurpose, sealed);
}
