import { type FieldError, fieldNotFound, invalid, required } from '../../api/field-error.ts';
import { userOffboardingKind } from '../../api/management/v1/subresources/user-offboarding.ts';
import { userKind } from '../../api/management/v1/user.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { managementGroup, projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf, typedObject } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { invalidObject, notFound } from '../../api/status.ts';
import { callerOf } from '../../auth/authz/caller.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import type { ReadCredentialsOptions } from '../credentials/read-credentials.ts';
import type { ManagementState } from '../state.ts';
import { computedObject } from '../subresources/computed-object.ts';
import { createdCredentials } from './created-credentials.ts';
import { deletionOf, planOffboarding } from './plan-offboarding.ts';
import { revokeUnattributed } from './revoke-unattributed.ts';
import { searchCredentials } from './search-credentials.ts';
import { recordsCreators, unattributedInstances } from './unattributed-instances.ts';
import { unattributedItems } from './unattributed-items.ts';
import { usableInstances } from './usable-instances.ts';
import { createStepWriter } from './write-step.ts';

export interface OffboardOptions extends ReadCredentialsOptions {
  readonly stores: KindStores;
}

const kind = userOffboardingKind;

/**
 * Maximum number of objects that one request writes, so that the request does not time out. The response contains the
 * number of objects that must still be written. The user is deleted only when this number is 0.
 */
const maxWrites = 500;
/** A response lists at most this many items. The counts are always complete. */
const maxItems = 2000;

/**
 * POST `users/<name>/offboard`: ends all access of a user. First disables the user. Then revokes tokens without a known
 * creator if the request asks for this, deletes the credentials of the user, transfers the user's objects to another
 * owner, and removes the access that others grant to the user. Finally deletes the user. The request is one audit
 * event. It can be repeated after an interruption.
 */
export function offboardUser(options: OffboardOptions): MountedSubresource {
  const { state, stores, settings } = options;
  return {
    kind,
    verbs: {
      async createNamed(context, name, sent, { dryRun }) {
        throwIfInvalid(name, validateSchema(kind.schema, sent, ''));
        const spec = typedObject(kind, sent).spec ?? {};
        await state.caughtUp();
        const user = state.user(name);
        if (user === undefined) throw notFound(groupResourceOf(userKind), name);
        const { transferTo = '', keepUser = false, revokeUnattributed: revokes = false } = spec;
        const planNow = () => {
          const plan = planOffboarding(state.user(name) ?? user, { transferTo, keepUser }, state);
          throwIfInvalid(name, transferErrors(name, transferTo, dryRun ? 0 : plan.owned, state));
          return plan;
        };
        throwIfInvalid(name, ownUserErrors(name, context));
        let plan = planNow();
        const instances = searchOrder(usableInstances(user, state), state);
        const search = await searchCredentials(instances, options, context.signal);
        const made = createdCredentials(user, instances, search, options);
        const writer = createStepWriter({ stores, context, user: name, transferTo });
        // If the user must not be deleted, this dry run throws before anything changes.
        if (!keepUser) await writer.write(deletionOf(user), true);
        const first = dryRun ? [] : plan.steps.filter(({ items }) => items.some(({ action }) => action === 'Disable'));
        for (const step of first) {
          await writer.write(step, false);
          // The user may have created keys after the plan was made, so plan again. Now the user is disabled and cannot
          // create further keys.
          await state.caughtUp();
          plan = planNow();
        }
        // These instances are determined before the steps remove the access of the user, so that an interrupted request
        // can be repeated.
        const open = unattributedInstances(usableInstances(user, state), search, options);
        if (revokes && !dryRun) {
          const ofInstances = storeOf(stores, virtualClusterInstanceKind);
          await revokeUnattributed(open, search, { ...options, instances: ofInstances, context });
        }
        const unattributed = unattributedItems(open, {
          user: name,
          revokes,
          maxAgeSeconds: settings.gateway.maxServiceAccountTokenAge,
        });
        const revoked = revokes ? open.map(({ instance }) => instance) : [];
        const steps = plan.steps.slice(0, maxWrites - first.length);
        if (!dryRun) for (const step of steps) await writer.write(step, false);
        const items = [
          ...[...first, ...plan.steps].flatMap((step) => step.items),
          ...plan.consequences,
          ...made,
          ...unattributed,
        ];
        const changes = first.length + steps.length + revoked.length;
        if (!dryRun) annotate(name, { changes, revoked }, context);
        const status = {
          items: items.slice(0, maxItems),
          changes,
          remaining: plan.steps.length - steps.length,
        };
        return computedObject(kind, { ...sent.metadata, name }, { spec, status });
      },
    },
  };
}

function throwIfInvalid(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(kind, name, [...errors]);
}

/** Validates the new owner. `owned` is the number of objects that need a new owner. */
function transferErrors(name: string, transferTo: string, owned: number, state: ManagementState): FieldError[] {
  const field = 'spec.transferTo';
  if (transferTo === '') {
    return owned === 0
      ? []
      : [required(field, `the user owns ${owned} objects; name the user who becomes their owner`)];
  }
  if (transferTo === name) return [invalid(field, transferTo, 'must be another user')];
  const heir = state.user(transferTo);
  if (heir === undefined) return [fieldNotFound(field, transferTo)];
  return heir.spec?.disabled === true ? [invalid(field, transferTo, 'the user is disabled')] : [];
}

/** Rejects callers who offboard themselves, because the first step would end the request. */
function ownUserErrors(name: string, context: RequestContext): FieldError[] {
  return callerOf(context.user).user === name
    ? [invalid('metadata.name', name, 'another admin must offboard you')]
    : [];
}

/** Returns the usable instances first, then all other instances whose tokens can name the user as their creator. */
function searchOrder(usable: readonly VirtualClusterInstance[], state: ManagementState): VirtualClusterInstance[] {
  const first = new Set(usable);
  for (const { metadata } of state.projects()) {
    for (const instance of state.instancesOf(metadata.name ?? '')) if (recordsCreators(instance)) first.add(instance);
  }
  return [...first];
}

/** Adds the summary to the audit event, which is the record of the whole offboarding. */
function annotate(
  name: string,
  { changes, revoked }: { changes: number; revoked: readonly VirtualClusterInstance[] },
  context: RequestContext,
): void {
  context.annotate?.(`${managementGroup}/offboarding`, `user ${name}: ${changes} objects changed or deleted`);
  if (revoked.length === 0) return;
  const list = revoked.map(({ metadata }) => `${projectOfNamespace(metadata.namespace ?? '')}/${metadata.name}`);
  context.annotate?.(`${managementGroup}/revoked-credentials`, `all in ${list.join(' ')}`.slice(0, 1024));
}
