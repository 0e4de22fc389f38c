import { tokenReviewKind } from '../../api/core/token-request.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Identity } from '../../auth/identity.ts';
import { type AccessAttributes, maxWarningLength, maxWarnings, type RequestContext } from '../../registry/context.ts';
import { auditAnnotationsOf, type Exchange } from '../exchange.ts';
import type { Plane } from '../plane.ts';
import { queryFlag } from '../request/query-flag.ts';
import { callerOf } from '../session/caller.ts';
import { isOwnToken } from '../session/own-token.ts';

/** Creates the request context for the verbs of the registry. */
export function requestContext(plane: Plane, kind: ResourceKind, exchange: Exchange): RequestContext {
  const caller = callerOf(exchange);
  const mayRead = plane.mayRead(caller, kind, exchange.info.verb);
  const { preauthorize } = caller;
  const context: Writable<ExchangeContext> = new ExchangeContext(plane, kind, exchange, caller);
  // Each optional member is assigned separately, because spreading optional members takes several times as long.
  if (caller.accessKey !== undefined) context.accessKey = caller.accessKey;
  if (caller.responsible !== undefined) context.responsible = caller.responsible;
  if (exchange.fence !== undefined) context.fence = exchange.fence;
  if (exchange.span !== undefined) context.span = exchange.span;
  if (exchange.freshRevision !== undefined) context.freshRevision = exchange.freshRevision;
  if (exchange.nextTimeSlice !== undefined) context.nextTimeSlice = exchange.nextTimeSlice;
  if (queryFlag(exchange.query, 'extended') === true) context.extended = true;
  if (mayRead !== undefined) context.mayRead = mayRead;
  if (preauthorize !== undefined) context.credentialAllows = (asked) => preauthorize(asked);
  if (kind === tokenReviewKind) context.isOwnToken = (token) => isOwnToken(exchange, token);
  return context;
}

/**
 * The request context of an HTTP request. Every request creates one, so access to its members must be fast. It is a
 * class, because V8 stores the members of an object literal with a getter in a dictionary, where each access is slow.
 */
class ExchangeContext implements RequestContext {
  readonly user: UserInfo;
  readonly system: boolean;
  readonly verb: string;
  readonly namespace: string;
  readonly pathName: string;
  declare readonly accessKey?: string;
  declare readonly responsible?: string;
  declare readonly fence?: NonNullable<RequestContext['fence']>;
  declare readonly span?: NonNullable<RequestContext['span']>;
  declare readonly freshRevision?: number;
  declare readonly nextTimeSlice?: NonNullable<RequestContext['nextTimeSlice']>;
  declare readonly extended?: boolean;
  declare readonly mayRead?: NonNullable<RequestContext['mayRead']>;
  declare readonly credentialAllows?: NonNullable<RequestContext['credentialAllows']>;
  declare readonly isOwnToken?: NonNullable<RequestContext['isOwnToken']>;
  readonly #plane: Plane;
  readonly #exchange: Exchange;
  readonly #caller: Identity;

  constructor(plane: Plane, kind: ResourceKind, exchange: Exchange, caller: Identity) {
    this.user = caller.user;
    this.system = caller.system;
    this.verb = exchange.info.verb;
    this.namespace = kind.namespaced ? exchange.info.namespace : '';
    this.pathName = exchange.info.pathName;
    this.#plane = plane;
    this.#exchange = exchange;
    this.#caller = caller;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  isCanceled(): boolean {
    return this.#exchange.end.hasEnded;
  }

  onCancel(listener: () => void): () => void {
    return this.#exchange.end.onEnd(listener);
  }

  warn(text: string): void {
    const { warnings } = this.#exchange;
    if (warnings.length < maxWarnings) warnings.push(text.slice(0, maxWarningLength));
  }

  annotate(key: string, value: string): void {
    auditAnnotationsOf(this.#exchange).add(key, value);
  }

  annotateByAdmission(key: string, value: string): void {
    auditAnnotationsOf(this.#exchange).addOfAdmission(key, value);
  }

  async may(asked: AccessAttributes): Promise<boolean> {
    const decision = await this.#plane.authorize(this.#caller, {
      resourceRequest: true,
      verb: asked.verb,
      group: asked.group,
      version: this.#exchange.info.version,
      resource: asked.resource,
      subresource: asked.subresource ?? '',
      namespace: asked.namespace ?? '',
      name: asked.name ?? '',
    });
    return decision.allowed;
  }
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };
