import { defaultServiceAccount, serviceAccountKind } from '../../../api/core/service-account.ts';
import { apiVersionOf, type KubeObject } from '../../../api/meta.ts';
import { hostOwnerLabel } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import { peekWithoutManagedFields, type ServedObject } from '../../../registry/verbs.ts';
import type { RevisionCheck } from '../../../store/store.ts';
import { systemContext } from '../../system-context.ts';
import { KeyedWorkQueue } from '../keyed-work-queue.ts';
import { builtinNamespaceNames } from '../namespaces/plane-namespaces.ts';

/** Returns the service account `default` of each built-in namespace. */
export function builtinServiceAccounts(namespaces: readonly KubeObject[]): KubeObject[] {
  return namespaces.map(({ metadata }) => account(metadata.name ?? ''));
}

function account(namespace: string): KubeObject {
  return {
    kind: serviceAccountKind.kind,
    apiVersion: apiVersionOf(serviceAccountKind),
    metadata: { name: defaultServiceAccount, namespace },
  };
}

export interface DefaultAccountControllerOptions {
  readonly accounts: KindStore;
  readonly namespaces: KindStore;
  readonly clock: Clock;
  readonly log: Log;
}

const writing = { dryRun: false, fieldManager: 'kube-controller-manager', fieldValidation: 'Ignore' } as const;

/**
 * Creates the service account `default` in every namespace, and again after it is deleted. Checks all namespaces at the
 * start, because the previous process may have been interrupted. Namespaces that host virtual clusters get no account,
 * because there are many of these namespaces and nothing in them would use the account. In a shared store, the
 * controller only requests missing accounts at the start, and maintenance does the rest (`accountHooks`). Returns a
 * function that stops the controller.
 */
export async function startDefaultAccountController(options: DefaultAccountControllerOptions): Promise<() => void> {
  const { accounts, clock, log } = options;
  if (accounts.isShared) {
    await requestMissingAccounts(options);
    return () => {};
  }
  const work = new KeyedWorkQueue({
    name: 'creation of a default service account',
    clock,
    log,
    reconcile: (namespace) => createMissingAccount(options, namespace),
  });
  const stops = followChanges(options, (namespace) => void work.add(namespace));
  await Promise.all(namespacesWithoutAccount(options).map((namespace) => work.add(namespace)));
  return () => {
    for (const stop of stops) stop();
    work.stop();
  };
}

/**
 * Records maintenance work for each missing account. Never rejects, because the plane must be served even without these
 * accounts.
 */
async function requestMissingAccounts(options: DefaultAccountControllerOptions): Promise<void> {
  for (const namespace of namespacesWithoutAccount(options)) {
    try {
      await options.accounts.requestReconcile(namespace, defaultServiceAccount);
    } catch (error) {
      options.log.warn(
        { error, namespace },
        'failed to schedule the creation of the default service account of a namespace',
      );
    }
  }
}

function namespacesWithoutAccount(stores: AccountStores): readonly string[] {
  const stored = stores.namespaces.peekAll().filter(({ isUnchangedBuiltin }) => isUnchangedBuiltin !== true);
  const all = new Set([...builtinNamespaceNames, ...stored.map(nameOf)]);
  return [...all].filter((namespace) => isMissing(stores, namespace));
}

/** Calls `add` with each namespace that may need a new account. */
function followChanges(
  { accounts, namespaces }: DefaultAccountControllerOptions,
  add: (namespace: string) => void,
): readonly (() => void)[] {
  return [
    namespaces.listen(({ before, after }) => {
      if (before === undefined && after !== undefined) add(nameOf(after));
    }),
    accounts.listen(({ before, after }) => {
      if (before === undefined || after !== undefined) return;
      const { name, namespace = '' } = peekWithoutManagedFields(before).metadata;
      if (name === defaultServiceAccount) add(namespace);
    }),
  ];
}

type AccountStores = Pick<DefaultAccountControllerOptions, 'accounts' | 'namespaces'>;

function isMissing({ accounts, namespaces }: AccountStores, namespace: string): boolean {
  // Look up the account first: if it exists, the namespace object does not have to be built.
  if (accounts.peek(namespace, defaultServiceAccount) !== undefined) return false;
  const found = namespaces.peek('', namespace);
  if (found === undefined) return false;
  const { deletionTimestamp, labels } = peekWithoutManagedFields(found).metadata;
  return deletionTimestamp === undefined && labels?.[hostOwnerLabel] === undefined;
}

/**
 * Creates the account `default` of a namespace if it is missing. Ignores errors if the account exists already or the
 * namespace is being deleted. `fence` is `RequestContext.fence`.
 */
export async function createMissingAccount(
  stores: AccountStores,
  namespace: string,
  fence?: RevisionCheck,
): Promise<void> {
  if (!isMissing(stores, namespace)) return;
  const context = systemContext(namespace, undefined, fence);
  try {
    await stores.accounts.verbs.create(context, account(namespace), writing);
  } catch (error) {
    if (!(error instanceof StatusError) || ![403, 404, 409].includes(error.code)) throw error;
  }
}

function nameOf(namespace: ServedObject): string {
  return peekWithoutManagedFields(namespace).metadata.name ?? '';
}
