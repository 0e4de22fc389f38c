import { denialMessage } from '../../api/denial-message.ts';
import { forbidden, forbiddenPath } from '../../api/status.ts';
import type { Attributes, Decision } from '../../auth/authz/attributes.ts';
import type { Identity } from '../../auth/identity.ts';
import { andThen, isPromise, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { Exchange, Filter, Handler } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { callerOf } from '../session/caller.ts';

export interface AuthorizeOptions {
  authorize(identity: Identity, attributes: Attributes, exchange: Exchange): MaybePromise<Decision>;
}

/** Authorizes the request and stores the decision in the exchange for the audit log. A denied request gets 403. */
export function authorize(options: AuthorizeOptions): Filter {
  const applyDecision = (
    exchange: Exchange,
    attributes: Attributes,
    decision: Decision,
    next: Handler,
  ): Promise<Reply> => {
    exchange.decision = decision;
    if (decision.allowed) return next(exchange);
    const detail = denialMessage(callerOf(exchange).user.name, attributes, decision.reason);
    if (!attributes.resourceRequest) throw forbiddenPath(detail);
    throw forbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, detail);
  };
  return (exchange, next) => {
    const attributes = attributesOf(exchange.info);
    const deciding =
      exchange.confirmation === undefined
        ? options.authorize(callerOf(exchange), attributes, exchange)
        : confirmedDecision(exchange, () => options.authorize(callerOf(exchange), attributes, exchange));
    return andThen(deciding, (decision) => applyDecision(exchange, attributes, decision, next));
  };
}

/**
 * Decides whether the request is allowed. If it is not, but the caches may be older than the request, decides again
 * after they are current.
 */
export function confirmedDecision(exchange: Exchange, decide: () => MaybePromise<Decision>): MaybePromise<Decision> {
  const confirmDenial = async (decision: Decision): Promise<Decision> =>
    (await exchange.confirmation?.mustDecideAgain()) === true ? await decide() : decision;
  const confirmError = async (error: unknown): Promise<Decision> => {
    if ((await exchange.confirmation?.mustDecideAgain(error)) === true) return await decide();
    throw error;
  };
  const applyDenial = (decision: Decision) => (decision.allowed ? decision : confirmDenial(decision));
  try {
    const deciding = decide();
    return isPromise(deciding) ? deciding.then(applyDenial, confirmError) : applyDenial(deciding);
  } catch (error) {
    return confirmError(error);
  }
}

export function attributesOf(info: RequestInfo): Attributes {
  if (!info.isResource) return { resourceRequest: false, verb: info.verb, path: info.path };
  const { verb, group, version, resource, subresource, namespace, name } = info;
  return { resourceRequest: true, verb, group, version, resource, subresource, namespace, name };
}
