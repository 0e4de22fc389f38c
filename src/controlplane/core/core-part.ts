import type { KubeObject } from '../../api/meta.ts';
import type { Identity } from '../../auth/identity.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { KindStores } from '../../registry/kind-stores.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { RowSealing } from '../../registry/resource.ts';
import { resourceKey } from '../../registry/rows.ts';
import { mountStored } from '../../registry/stored-verbs.ts';
import { glanceAt } from '../../registry/verbs.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { AccountSessions } from './account-sessions.ts';
import { AccountTokens, type TokenKeys } from './account-tokens.ts';
import { storedConfigMaps } from './config-maps.ts';
import { keepDefaultAccounts, standingAccounts } from './default-accounts.ts';
import { coreEventsView, eventsView } from './event-views.ts';
import { storedEvents } from './events.ts';
import { storedLeases } from './leases.ts';
import { mountNamespaces, planeNamespaces, standingNamespaces } from './plane-namespaces.ts';
import { Quotas } from './quotas.ts';
import { storedResourceQuotas } from './resource-quotas.ts';
import { kubernetesReviews, type ReviewDependencies } from './reviews.ts';
import { storedSecrets } from './secrets.ts';
import { storedServiceAccounts } from './service-accounts.ts';
import { tokenSubresource } from './token-requests.ts';
import { tokenReviews } from './token-reviews.ts';
import { keepTokenSecrets } from './token-secrets.ts';

export interface CoreDependencies extends PartDependencies {
  /** Seals the rows of secrets. */
  readonly sealing: RowSealing;
  /** Signs and checks the tokens of service accounts. */
  readonly tokens: TokenKeys;
  /** The longest life of a token that somebody asks for, in seconds. */
  readonly longestTokenSeconds: number;
  /** PEM: what those trust who reach the plane. Put into token secrets; absent: it is not. */
  readonly certificateAuthority?: string;
  /** The decision function of the plane, for the reviews. */
  readonly authorize: ReviewDependencies['authorize'];
  readonly rules: ReviewDependencies['rules'];
}

export interface CorePart extends PlanePart {
  /**
   * The service account of this plane that a bearer token stands for; undefined: it is no token of this plane, or no
   * longer good. The identity's signal fires when the token ends.
   */
  authenticate(token: string): Promise<Identity | undefined>;
}

/** One list for the whole process. */
const standing: readonly KubeObject[] = [...standingNamespaces, ...standingAccounts(standingNamespaces)];

/** The kinds of the core: what every plane of the Kubernetes kind has besides rights and custom resources. */
export function corePart(dependencies: CoreDependencies): CorePart {
  const { clock, log } = dependencies;
  const namespaces = planeNamespaces(dependencies);
  const secrets = storedSecrets(dependencies.sealing);
  const storeOf = (key: string) => neededStore(dependencies.plane().kinds, key);
  const accountStore = () => storeOf(resourceKey(storedServiceAccounts));
  const secretStore = () => storeOf(resourceKey(secrets));
  const tokens = new AccountTokens({
    planeId: dependencies.planeId,
    clock,
    keys: dependencies.tokens,
    accounts: { peek: (namespace, name) => accountStore().peek(namespace, name) },
    secrets: { peek: (namespace, name) => secretStore().peek(namespace, name) },
  });
  const sessions = new AccountSessions(clock, (token) => tokens.isGood(token));
  const quotas = new Quotas({
    kinds: () => dependencies.plane().kinds,
    quotas: () => storeOf(resourceKey(storedResourceQuotas)),
    onKinds: (listener) => dependencies.plane().onKinds(listener),
    clock,
    log,
  });

  return {
    resources: [
      namespaces,
      storedConfigMaps,
      secrets,
      storedServiceAccounts,
      storedResourceQuotas,
      storedEvents,
      storedLeases,
    ],
    standing,
    mount: (stores) => mounted(stores, dependencies, tokens),
    admit: (write) => quotas.admit(write),
    async authenticate(token) {
      const found = await tokens.check(token);
      // Looked at again in the turn in which the signal is made: what goes after that, the signal tells.
      if (found === undefined || !tokens.isGood(found)) return undefined;
      return { user: tokens.userOf(found), system: false, signal: sessions.signal(found) };
    },
    async start() {
      const ends = [
        () => sessions.close(),
        ...[accountStore(), secretStore()].map((store) => endSessions(sessions, store)),
      ];
      const stores = { accounts: accountStore(), secrets: secretStore(), namespaces: storeOf(resourceKey(namespaces)) };
      const { certificateAuthority } = dependencies;
      ends.push(await keepDefaultAccounts({ ...stores, clock, log }));
      ends.push(await keepTokenSecrets({ ...stores, tokens, certificateAuthority, clock, log }));
      ends.push(await quotas.start());
      return () => {
        for (const end of ends.reverse()) end();
      };
    },
  };
}

function mounted(stores: KindStores, dependencies: CoreDependencies, tokens: AccountTokens): MountedResource[] {
  const { clock } = dependencies;
  const store = (key: string) => neededStore(stores, key);
  const accounts = store(resourceKey(storedServiceAccounts));
  const secrets = store('secrets');
  const events = store(resourceKey(storedEvents));
  const token = tokenSubresource({
    accounts,
    secrets,
    tokens,
    clock,
    longestSeconds: dependencies.longestTokenSeconds,
  });
  return [
    mountNamespaces(store('namespaces')),
    mountStored(store(resourceKey(storedConfigMaps))),
    mountStored(secrets),
    mountStored(accounts, { token }),
    mountStored(store(resourceKey(storedResourceQuotas))),
    coreEventsView(events),
    eventsView(events),
    mountStored(store(resourceKey(storedLeases))),
    tokenReviews(tokens),
    ...kubernetesReviews(dependencies),
  ];
}

/** Of a store whose objects tokens are bound to. */
function endSessions(sessions: AccountSessions, store: KindStore): () => void {
  return store.listen(({ before, after }) => {
    const served = before ?? after;
    if (served === undefined || sessions.size === 0) return;
    const { namespace = '', name = '' } = glanceAt(served).metadata;
    sessions.changed(namespace, name);
  });
}

function neededStore(stores: KindStores, key: string): KindStore {
  const store = stores.get(key);
  if (store === undefined) throw new Error(`the control plane has no store for ${key}`);
  return store;
}
