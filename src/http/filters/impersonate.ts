import { labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { serviceAccountGroups } from '../../api/core/service-account.ts';
import { denialMessage } from '../../api/denial-message.ts';
import { kubernetesAuthenticatedGroup } from '../../api/naming.ts';
import { badRequest, forbidden } from '../../api/status.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Attributes, Decision } from '../../auth/authz/attributes.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Exchange, Filter, Handler, IncomingRequest } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { callerOf } from '../session/caller.ts';
import { endOnPermissionChange } from '../session/end-on-permission-change.ts';
import { confirmedDecision } from './authorize.ts';

export interface ImpersonateOptions {
  authorize(identity: Identity, attributes: Attributes, exchange: Exchange): Decision | Promise<Decision>;
}

/** The identity that a client requests with Impersonate-* headers. */
interface RequestedIdentity {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * Lets an authorized caller act as another user (rule AUTHZ-08). The scope of the caller's access key still restricts
 * the requests.
 */
export function impersonate(options: ImpersonateOptions): Filter {
  const runAs = async (exchange: Exchange, requested: RequestedIdentity, next: Handler): Promise<Reply> => {
    for (const attributes of requiredPermissions(requested)) {
      const decide = () => options.authorize(callerOf(exchange), attributes, exchange);
      const decision = await (exchange.confirmation === undefined ? decide() : confirmedDecision(exchange, decide));
      if (decision.allowed) continue;
      exchange.decision = decision;
      throw forbidden(
        { group: attributes.group, resource: attributes.resource },
        attributes.name,
        denialMessage(callerOf(exchange).user.name, attributes, decision.reason),
      );
    }
    const caller = callerOf(exchange);
    const user: UserInfo = {
      name: requested.user,
      ...(requested.uid === '' ? {} : { uid: requested.uid }),
      groups: groupsOf(requested),
      extra: requested.extra,
    };
    exchange.identity = impersonatedIdentity(caller, user);
    exchange.confirmation?.deriveIdentity((known) => impersonatedIdentity(known, user));
    return await endOnPermissionChange(exchange, caller, next, user);
  };
  return (exchange, next) => {
    const requested = requestedIdentity(exchange.request);
    return requested === undefined ? next(exchange) : runAs(exchange, requested, next);
  };
}

function impersonatedIdentity(caller: Identity, user: UserInfo): Identity {
  const { permissionSignal, preauthorize, fairQueueKey, responsible } = caller;
  return {
    user,
    impersonatedBy: caller.user.name,
    ...(responsible === undefined ? {} : { responsible }),
    ...(caller.accessKey === undefined ? {} : { accessKey: caller.accessKey }),
    system: false,
    signal: caller.signal,
    ...(permissionSignal === undefined ? {} : { permissionSignal: (as?: UserInfo) => permissionSignal(as ?? user) }),
    ...(preauthorize === undefined ? {} : { preauthorize }),
    ...(fairQueueKey === undefined ? {} : { fairQueueKey }),
  };
}

const extraPrefix = 'impersonate-extra-';
const unauthenticatedGroup = 'system:unauthenticated';

function requestedIdentity(request: IncomingRequest): RequestedIdentity | undefined {
  const { headers } = request;
  if (!hasImpersonationHeader(headers)) return undefined;
  const user = headers['impersonate-user'] ?? '';
  const uid = headers['impersonate-uid'] ?? '';
  const groups = splitList(headers['impersonate-group']);
  const extras: [string, readonly string[]][] = [];
  for (const name in headers) {
    if (name.startsWith(extraPrefix))
      extras.push([decodedName(name.slice(extraPrefix.length)), splitList(headers[name])]);
  }
  // Do not assign to `extra[name]`: for the name `__proto__` that would set the prototype and bypass authorization.
  const extra = Object.fromEntries(extras);
  if (user !== '') return { user, uid, groups, extra };
  if (uid === '' && groups.length === 0 && extras.length === 0) return undefined;
  throw badRequest('requested impersonation of groups, a uid or extra data without impersonating a user');
}

/**
 * True if the name of a header starts with `impersonate-`. Most requests have no such header, so this fast check is
 * enough for them.
 */
function hasImpersonationHeader(headers: IncomingRequest['headers']): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
}

/**
 * Splits the comma-separated values of a repeated header. Each value is authorized separately, so a client gains
 * nothing by sending a value that contains a comma.
 */
function splitList(value: string | undefined): string[] {
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

/**
 * Returns the groups of the impersonated user: the requested groups, or the default groups of a service account, plus
 * `system:authenticated` or `system:unauthenticated`.
 */
function groupsOf({ user, groups }: RequestedIdentity): string[] {
  const account = accountOf(user);
  const named = groups.length > 0 || account === undefined ? groups : serviceAccountGroups(account.namespace);
  const isAnonymous = user === 'system:anonymous';
  const defaultGroup = isAnonymous ? unauthenticatedGroup : kubernetesAuthenticatedGroup;
  const isExplicit =
    named.includes(unauthenticatedGroup) || (!isAnonymous && named.includes(kubernetesAuthenticatedGroup));
  return [...new Set(isExplicit ? named : [...named, defaultGroup])];
}

function accountOf(user: string): { namespace: string; name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  return labelFaults(namespace).length + subdomainFaults(name).length === 0 ? { namespace, name } : undefined;
}

type ResourceAttributes = Extract<Attributes, { resourceRequest: true }>;

function requiredPermissions(requested: RequestedIdentity): ResourceAttributes[] {
  const account = accountOf(requested.user);
  const group = 'authentication.k8s.io';
  return [
    account === undefined
      ? permission({ resource: 'users', name: requested.user })
      : permission({ resource: 'serviceaccounts', ...account }),
    ...requested.groups.map((name) => permission({ resource: 'groups', name })),
    ...(requested.uid === '' ? [] : [permission({ group, resource: 'uids', name: requested.uid })]),
    ...Object.entries(requested.extra).flatMap(([subresource, values]) =>
      values.map((name) => permission({ group, resource: 'userextras', name, subresource })),
    ),
  ];
}

type Impersonated = Pick<ResourceAttributes, 'resource' | 'name'> &
  Partial<Pick<ResourceAttributes, 'group' | 'subresource' | 'namespace'>>;

function permission(impersonated: Impersonated): ResourceAttributes {
  const { group = '', resource, name, subresource = '', namespace = '' } = impersonated;
  return { resourceRequest: true, verb: 'impersonate', group, version: 'v1', resource, subresource, namespace, name };
}
