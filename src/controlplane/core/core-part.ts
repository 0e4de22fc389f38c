import type { KubeObject } from '../../api/meta.ts';
import type { Identity } from '../../auth/identity.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { KindStores } from '../../registry/kind-stores.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { RowSealing, StoredResource } from '../../registry/resource.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import { peekWithoutManagedFields } from '../../registry/verbs.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { ServiceAccountSessions } from './accounts/account-sessions.ts';
import { type AccountTasksOptions, accountHooks } from './accounts/account-tasks.ts';
import { AccountTokens, type TokenKeys } from './accounts/account-tokens.ts';
import { builtinServiceAccounts, startDefaultAccountController } from './accounts/default-account-controller.ts';
import { storedServiceAccounts } from './accounts/service-accounts.ts';
import { tokenSubresource } from './accounts/token-requests.ts';
import { tokenReviews } from './accounts/token-reviews.ts';
import { startTokenSecretController } from './accounts/token-secret-controller.ts';
import { storedConfigMaps } from './config-maps.ts';
import { coreEventsView, eventsGroupView } from './event-views.ts';
import { storedEvents } from './events.ts';
import { storedLeases } from './leases.ts';
import { builtinNamespaces, mountNamespaces, planeNamespaces } from './namespaces/plane-namespaces.ts';
import { QuotaAdmission } from './quotas/quotas.ts';
import { storedResourceQuotas } from './quotas/resource-quotas.ts';
import { kubernetesReviews, type ReviewDependencies } from './reviews.ts';
import type { RootCertificateHooks } from './root-certificates/root-certificates-part.ts';
import { storedSecrets } from './secrets.ts';

export interface CoreDependencies extends PartDependencies {
  /** Encrypts the stored rows of secrets. */
  readonly sealing: RowSealing;
  /** Signs and verifies service account tokens. */
  readonly tokens: TokenKeys;
  /** The maximum lifetime of a token that a client requests, in seconds. */
  readonly longestTokenSeconds: number;
  /** The CA bundle in PEM format that clients of the plane trust. Optional; copied into token secrets. */
  readonly certificateAuthority?: string;
  /** Maintains the ConfigMap `kube-root-ca.crt` of each namespace. If absent, namespaces have none. */
  readonly rootCertificates?: RootCertificateHooks;
  /** Decides whether a subject has a permission. Access reviews call this function and report the decision. */
  readonly authorize: ReviewDependencies['authorize'];
  readonly rules: ReviewDependencies['rules'];
}

export interface CorePart extends PlanePart {
  /**
   * Returns the identity of the service account to which a bearer token belongs; `undefined` if the token is not a
   * valid token of this plane. The signal in the identity fires when the token becomes invalid.
   */
  authenticate(token: string): Promise<Identity | undefined>;
}

/** The built-in namespaces and their service accounts. All planes of the process share these objects. */
const builtinObjects: readonly KubeObject[] = [...builtinNamespaces, ...builtinServiceAccounts(builtinNamespaces)];

/**
 * The core kinds of a Kubernetes plane: namespaces, config maps, secrets, service accounts, quotas, events, leases and
 * reviews.
 */
export function corePart(dependencies: CoreDependencies): CorePart {
  const { clock, log, certificateAuthority, rootCertificates } = dependencies;
  const hooks = dependencies.isShared ? accountHooks(() => accountOptions()) : undefined;
  const requeues = requeuesOfAll([hooks?.namespaces, rootCertificates?.namespaces]);
  const namespaces = { ...planeNamespaces(dependencies), ...requeues };
  const secrets = { ...storedSecrets(dependencies.sealing), ...hooks?.secrets };
  const accounts = { ...storedServiceAccounts, ...hooks?.accounts };
  const storeOf = (key: string) => requireStore(dependencies.plane().kinds, key);
  const accountStore = () => storeOf(resourceKey(storedServiceAccounts));
  const secretStore = () => storeOf(resourceKey(secrets));
  const tokens = new AccountTokens({
    planeId: dependencies.planeId,
    clock,
    keys: dependencies.tokens,
    accounts: { peek: (namespace, name) => accountStore().peek(namespace, name) },
    secrets: { peek: (namespace, name) => secretStore().peek(namespace, name) },
  });
  const accountOptions = (): AccountTasksOptions => ({
    accounts: accountStore(),
    secrets: secretStore(),
    namespaces: storeOf(resourceKey(namespaces)),
    tokens,
    certificateAuthority,
    clock,
    log,
  });
  const sessions = new ServiceAccountSessions(clock, (token) => tokens.isValid(token));
  const quotas = new QuotaAdmission({
    kinds: () => dependencies.plane().kinds,
    quotas: () => storeOf(resourceKey(storedResourceQuotas)),
    onKinds: (listener) => dependencies.plane().onKinds(listener),
    clock,
    log,
  });

  return {
    resources: [
      namespaces,
      { ...storedConfigMaps, ...rootCertificates?.configMaps },
      secrets,
      accounts,
      dependencies.isShared ? { ...storedResourceQuotas, ...quotas.hooks() } : storedResourceQuotas,
      storedEvents,
      storedLeases,
    ],
    builtinObjects: builtinObjects,
    mount: (stores) => mountAll(stores, dependencies, tokens),
    admit: (write) => quotas.admit(write),
    requeuedByUsage: (resource, namespace, old, next) => quotas.requeuedByUsage(resource, namespace, old, next),
    async authenticate(token) {
      const found = await tokens.check(token);
      // Check the token again, because it may have become invalid during the asynchronous check above. The signal
      // reports only changes after this point.
      if (found === undefined || !tokens.isValid(found)) return undefined;
      const responsible = found.creator === undefined ? {} : { responsible: found.creator };
      return { user: tokens.userOf(found), ...responsible, system: false, signal: sessions.signal(found) };
    },
    async start() {
      const stopFunctions = [
        () => sessions.close(),
        ...[accountStore(), secretStore()].map((store) => endSessions(sessions, store)),
      ];
      stopFunctions.push(await startDefaultAccountController(accountOptions()));
      stopFunctions.push(await startTokenSecretController(accountOptions()));
      stopFunctions.push(await quotas.start());
      return () => {
        for (const stop of stopFunctions.reverse()) stop();
      };
    },
  };
}

type RequeueHook = Pick<StoredResource, 'requeues'>;

/** Returns one hook that requeues the objects of all hooks. */
function requeuesOfAll(hooks: readonly (RequeueHook | undefined)[]): RequeueHook {
  const present = hooks.filter((hook) => hook !== undefined);
  if (present.length === 0) return {};
  return { requeues: (old, next) => present.flatMap((hook) => hook.requeues?.(old, next) ?? []) };
}

function mountAll(stores: KindStores, dependencies: CoreDependencies, tokens: AccountTokens): MountedResource[] {
  const { clock } = dependencies;
  const store = (key: string) => requireStore(stores, key);
  const accounts = store(resourceKey(storedServiceAccounts));
  const secrets = store('secrets');
  const events = store(resourceKey(storedEvents));
  const token = tokenSubresource({
    accounts,
    secrets,
    tokens,
    clock,
    maxSeconds: dependencies.longestTokenSeconds,
  });
  return [
    mountNamespaces(store('namespaces')),
    mountStoredKind(store(resourceKey(storedConfigMaps))),
    mountStoredKind(secrets),
    mountStoredKind(accounts, { token }),
    mountStoredKind(store(resourceKey(storedResourceQuotas))),
    coreEventsView(events),
    eventsGroupView(events),
    mountStoredKind(store(resourceKey(storedLeases))),
    tokenReviews(tokens),
    ...kubernetesReviews(dependencies),
  ];
}

/** Ends the sessions of tokens that become invalid because of a change to a service account or secret. */
function endSessions(sessions: ServiceAccountSessions, store: KindStore): () => void {
  return store.listen(({ before, after }) => {
    const served = before ?? after;
    if (served === undefined || sessions.size === 0) return;
    const { namespace = '', name = '' } = peekWithoutManagedFields(served).metadata;
    sessions.checkSessionsOf(namespace, name);
  });
}

function requireStore(stores: KindStores, key: string): KindStore {
  const store = stores.get(key);
  if (store === undefined) throw new Error(`the control plane was opened without the kind ${key}`);
  return store;
}
