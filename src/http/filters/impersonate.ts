import { serviceAccountGroups } from '../../api/core/service-account.ts';
import { kubernetesAuthenticatedGroup } from '../../api/naming.ts';
import { badRequest, forbidden } from '../../api/status.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { labelFaults, subdomainFaults } from '../../api/validation/names.ts';
import type { Attributes, Decision } from '../../auth/authz/attributes.ts';
import type { Identity } from '../../auth/identity.ts';
import { callerOf } from '../caller.ts';
import type { Exchange, Filter, Handler, IncomingRequest, Reply } from '../exchange.ts';
import { withRights } from '../with-rights.ts';
import { denial } from './authorize.ts';

export interface ImpersonateOptions {
  authorize(identity: Identity, attributes: Attributes, exchange: Exchange): Decision | Promise<Decision>;
}

/** What the Impersonate-* headers ask for. */
interface Wanted {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * Lets a caller who may act as another one do so (rule AUTHZ-08). The access key stays the caller's own: whatever
 * narrows it narrows what is done under the other name too.
 */
export function impersonate(options: ImpersonateOptions): Filter {
  const asAnother = async (exchange: Exchange, wanted: Wanted, next: Handler): Promise<Reply> => {
    const caller = callerOf(exchange);
    for (const attributes of neededRights(wanted)) {
      const decision = await options.authorize(caller, attributes, exchange);
      if (decision.allowed) continue;
      exchange.decision = decision;
      throw forbidden(
        { group: attributes.group, resource: attributes.resource },
        attributes.name,
        denial(caller.user.name, attributes, decision.reason),
      );
    }
    const user: UserInfo = {
      name: wanted.user,
      ...(wanted.uid === '' ? {} : { uid: wanted.uid }),
      groups: groupsOf(wanted),
      extra: wanted.extra,
    };
    const { rights, gate, countedAs } = caller;
    exchange.identity = {
      user,
      ...(caller.accessKey === undefined ? {} : { accessKey: caller.accessKey }),
      system: false,
      signal: caller.signal,
      ...(rights === undefined ? {} : { rights: (as?: UserInfo) => rights(as ?? user) }),
      ...(gate === undefined ? {} : { gate }),
      ...(countedAs === undefined ? {} : { countedAs }),
    };
    return await withRights(exchange, caller, next, user);
  };
  return (exchange, next) => {
    const wanted = wantedIdentity(exchange.request);
    return wanted === undefined ? next(exchange) : asAnother(exchange, wanted, next);
  };
}

const extraPrefix = 'impersonate-extra-';
const unauthenticatedGroup = 'system:unauthenticated';

function wantedIdentity(request: IncomingRequest): Wanted | undefined {
  const { headers } = request;
  if (!asksForAnother(headers)) return undefined;
  const user = headers['impersonate-user'] ?? '';
  const uid = headers['impersonate-uid'] ?? '';
  const groups = listed(headers['impersonate-group']);
  const extras: [string, readonly string[]][] = [];
  for (const name in headers) {
    if (name.startsWith(extraPrefix)) extras.push([decodedName(name.slice(extraPrefix.length)), listed(headers[name])]);
  }
  // An assignment would make `__proto__` something that nobody sees and nobody has to have the right to.
  const extra = Object.fromEntries(extras);
  if (user !== '') return { user, uid, groups, extra };
  if (uid === '' && groups.length === 0 && extras.length === 0) return undefined;
  throw badRequest('requested impersonation of groups, a uid or extra data without impersonating a user');
}

/** Hardly anybody does. */
function asksForAnother(headers: IncomingRequest['headers']): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
}

/** A header sent several times arrives joined; each part is authorised by itself, so nothing is won by a comma. */
function listed(value: string | undefined): string[] {
  if (value === undefined) return [];
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Those that are named; a service account has its own where none are. Nobody is neither authenticated nor not. */
function groupsOf({ user, groups }: Wanted): string[] {
  const account = accountOf(user);
  const named = groups.length > 0 || account === undefined ? groups : serviceAccountGroups(account.namespace);
  const isAnonymous = user === 'system:anonymous';
  const usual = isAnonymous ? unauthenticatedGroup : kubernetesAuthenticatedGroup;
  const isSaid = named.includes(unauthenticatedGroup) || (!isAnonymous && named.includes(kubernetesAuthenticatedGroup));
  return [...new Set(isSaid ? named : [...named, usual])];
}

function accountOf(user: string): { namespace: string; name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  return labelFaults(namespace).length + subdomainFaults(name).length === 0 ? { namespace, name } : undefined;
}

type ResourceAttributes = Extract<Attributes, { resourceRequest: true }>;

function neededRights(wanted: Wanted): ResourceAttributes[] {
  const right = (
    group: string,
    resource: string,
    name: string,
    subresource = '',
    namespace = '',
  ): ResourceAttributes => ({
    resourceRequest: true,
    verb: 'impersonate',
    group,
    version: 'v1',
    resource,
    subresource,
    namespace,
    name,
  });
  const account = accountOf(wanted.user);
  return [
    account === undefined
      ? right('', 'users', wanted.user)
      : right('', 'serviceaccounts', account.name, '', account.namespace),
    ...wanted.groups.map((group) => right('', 'groups', group)),
    ...(wanted.uid === '' ? [] : [right('authentication.k8s.io', 'uids', wanted.uid)]),
    ...Object.entries(wanted.extra).flatMap(([key, values]) =>
      values.map((value) => right('authentication.k8s.io', 'userextras', value, key)),
    ),
  ];
}
