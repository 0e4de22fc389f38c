import { userKind } from '../../api/management/v1/user.ts';
import { typedObject } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import { contextWithChanges, type RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { SharedFields } from '../shared-fields.ts';
import { changeOf, type OffboardingStep } from './plan-offboarding.ts';

export interface StepWriterOptions {
  readonly stores: KindStores;
  readonly context: RequestContext;
  /** The user who is offboarded, and the new owner of the user's objects. */
  readonly user: string;
  readonly transferTo: string;
}

export interface StepWriter {
  write(step: OffboardingStep, dryRun: boolean): Promise<void>;
}

/**
 * The maximum number of attempts to write an object. Other writers, such as the instance controller, may change the
 * object at the same time.
 */
const maxAttempts = 5;

/** Writes the steps of an offboarding. If an object has changed since the plan, its step is planned again. */
export function createStepWriter({ stores, context, user, transferTo }: StepWriterOptions): StepWriter {
  async function change(store: KindStore, step: OffboardingStep): Promise<void> {
    const { kind, spec = {} } = step;
    const { namespace = '', name = '', resourceVersion = '' } = step.object.metadata;
    // The server makes these writes on behalf of an admin, whose permission was checked for the whole offboarding.
    const asServer = contextWithChanges(context, { system: true, namespace });
    const precondition = kind === userKind ? {} : { metadata: { resourceVersion } };
    await store.verbs.patch(
      asServer,
      name,
      { type: 'merge', document: { ...precondition, spec }, findings: [] },
      { dryRun: false, fieldManager: 'flotilla-offboarding', fieldValidation: 'Ignore', force: false },
    );
  }

  async function remove(store: KindStore, { metadata }: OffboardingStep['object'], dryRun: boolean): Promise<void> {
    const { name = '', uid = '' } = metadata;
    const options = { dryRun, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: { uid } };
    await store.verbs.delete(contextWithChanges(context, { namespace: '' }), name, options);
  }

  return {
    async write(step, dryRun) {
      const store = storeOf(stores, step.kind);
      const { namespace = '', name = '' } = step.object.metadata;
      let next: OffboardingStep | undefined = step;
      for (let attempt = 1; next !== undefined; attempt++) {
        try {
          if (next.spec === undefined) await remove(store, next.object, dryRun);
          else await change(store, next);
          return;
        } catch (error) {
          if (!(error instanceof StatusError) || ![404, 409].includes(error.code)) throw error;
          // An object that was deleted or replaced by another object needs no step.
          if (next.spec === undefined || error.code === 404) return;
          if (attempt === maxAttempts) throw error;
          const current = store.peek(namespace, name)?.object;
          next = current && changeOf(step.kind, typedObject<SharedFields>(step.kind, current), user, transferTo)[0];
        }
      }
    },
  };
}
