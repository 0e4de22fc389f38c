import { defaultServiceAccount, serviceAccountKind } from '../../../api/core/service-account.ts';
import { apiVersionOf, type KubeObject } from '../../../api/meta.ts';
import { hostOwnerLabel } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import { peekWithoutManagedFields, type ServedObject } from '../../../registry/verbs.ts';
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
 * start, because the previous process may have been interrupted. Namespaces that host virtual clusters get no account:
 * there are many of them, and nothing in them would use one. Returns a function that stops the controller.
 */
export async function startDefaultAccountController(options: DefaultAccountControllerOptions): Promise<() => void> {
  const { accounts, namespaces, clock, log } = options;
  const isMissing = (namespace: string) => {
    // The account is looked up first: if it exists, the namespace object does not have to be built.
    if (accounts.peek(namespace, defaultServiceAccount) !== undefined) return false;
    const found = namespaces.peek('', namespace);
    if (found === undefined) return false;
    const { deletionTimestamp, labels } = peekWithoutManagedFields(found).metadata;
    return deletionTimestamp === undefined && labels?.[hostOwnerLabel] === undefined;
  };
  const work = new KeyedWorkQueue({
    name: 'creation of a default service account',
    clock,
    log,
    async reconcile(namespace) {
      if (isMissing(namespace)) await createAccount(accounts, namespace);
    },
  });
  const stopNamespaces = namespaces.listen(({ before, after }) => {
    if (before === undefined && after !== undefined) void work.add(nameOf(after));
  });
  const stopAccounts = accounts.listen(({ before, after }) => {
    if (before === undefined || after !== undefined) return;
    const { name, namespace = '' } = peekWithoutManagedFields(before).metadata;
    if (name === defaultServiceAccount) void work.add(namespace);
  });
  const storedNamespaces = namespaces.peekAll().filter(({ isUnchangedBuiltin }) => isUnchangedBuiltin !== true);
  const all = new Set([...builtinNamespaceNames, ...storedNamespaces.map(nameOf)]);
  await Promise.all([...all].filter(isMissing).map((namespace) => work.add(namespace)));
  return () => {
    stopNamespaces();
    stopAccounts();
    work.stop();
  };
}

/** Creates the account. Ignores errors if the account exists already or the namespace is being deleted. */
async function createAccount(accounts: KindStore, namespace: string): Promise<void> {
  try {
    await accounts.verbs.create(systemContext(namespace), account(namespace), writing);
  } catch (error) {
    if (!(error instanceof StatusError) || ![403, 404, 409].includes(error.code)) throw error;
  }
}

function nameOf(namespace: ServedObject): string {
  return peekWithoutManagedFields(namespace).metadata.name ?? '';
}
