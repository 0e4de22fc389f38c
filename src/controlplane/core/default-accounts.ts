import { defaultServiceAccount, serviceAccountKind } from '../../api/core/service-account.ts';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { hostOwnerLabel } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { glanceAt, type Served } from '../../registry/verbs.ts';
import { systemContext } from '../system-context.ts';
import { KeyedWork } from './keyed-work.ts';
import { lastingNamespaces } from './plane-namespaces.ts';

/** Those of the namespaces that every plane has. */
export function standingAccounts(namespaces: readonly KubeObject[]): KubeObject[] {
  return namespaces.map(({ metadata }) => account(metadata.name ?? ''));
}

function account(namespace: string): KubeObject {
  return {
    kind: serviceAccountKind.kind,
    apiVersion: apiVersionOf(serviceAccountKind),
    metadata: { name: defaultServiceAccount, namespace },
  };
}

export interface DefaultAccountsOptions {
  readonly accounts: KindStore;
  readonly namespaces: KindStore;
  readonly clock: Clock;
  readonly log: Log;
}

const writing = { dryRun: false, fieldManager: 'kube-controller-manager', fieldValidation: 'Ignore' } as const;

/**
 * Every namespace has an account `default`: made when the namespace is, and made again when somebody deletes it. What
 * was cut short is made good here when the plane is loaded again. A namespace that was made for a virtual cluster has
 * none: nothing runs in it that would use one, and there are as many of them as virtual clusters. Returns how it ends.
 */
export async function keepDefaultAccounts(options: DefaultAccountsOptions): Promise<() => void> {
  const { accounts, namespaces, clock, log } = options;
  const isMissing = (namespace: string) => {
    // Asked first: what stands in every plane need not be made to be looked at.
    if (accounts.peek(namespace, defaultServiceAccount) !== undefined) return false;
    const found = namespaces.peek('', namespace);
    if (found === undefined) return false;
    const { deletionTimestamp, labels } = glanceAt(found).metadata;
    return deletionTimestamp === undefined && labels?.[hostOwnerLabel] === undefined;
  };
  const work = new KeyedWork({
    name: 'a default service account',
    clock,
    log,
    async work(namespace) {
      if (isMissing(namespace)) await make(accounts, namespace);
    },
  });
  const stopNamespaces = namespaces.listen(({ before, after }) => {
    if (before === undefined && after !== undefined) void work.add(nameOf(after));
  });
  const stopAccounts = accounts.listen(({ before, after }) => {
    if (before === undefined || after !== undefined) return;
    const { name, namespace = '' } = glanceAt(before).metadata;
    if (name === defaultServiceAccount) void work.add(namespace);
  });
  const own = namespaces.peekAll().filter(({ stands }) => stands !== true);
  const all = new Set([...lastingNamespaces, ...own.map(nameOf)]);
  await Promise.all([...all].filter(isMissing).map((namespace) => work.add(namespace)));
  return () => {
    stopNamespaces();
    stopAccounts();
    work.stop();
  };
}

/** Somebody else may have made it, or the namespace may be on its way out: then there is nothing to do. */
async function make(accounts: KindStore, namespace: string): Promise<void> {
  try {
    await accounts.verbs.create(systemContext(namespace), account(namespace), writing);
  } catch (error) {
    if (!(error instanceof StatusError) || ![403, 404, 409].includes(error.code)) throw error;
  }
}

function nameOf(namespace: Served): string {
  return glanceAt(namespace).metadata.name ?? '';
}
