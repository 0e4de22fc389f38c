import { authorizationGroup } from '../api/core/reviews.ts';
import { unsupportedMediaType } from '../api/status.ts';
import { askedAttributes } from '../auth/authz/asked-attributes.ts';
import { narrowedRules, type Passes, type ToldRules } from '../auth/authz/narrowed-rules.ts';
import { bodyFormat } from '../http/body-format.ts';
import type { Exchange, Reply } from '../http/exchange.ts';
import { protobufCodec } from '../http/protobuf/envelope.ts';
import { readBody } from '../http/read-body.ts';
import { objectAt, textAt } from '../lib/json-path.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json-value.ts';
import { writeJson } from '../lib/json-write.ts';

/** A question is short. */
const longestReview = 64 * 1024;

const kinds: Readonly<Record<string, string>> = {
  selfsubjectaccessreviews: 'SelfSubjectAccessReview',
  selfsubjectrulesreviews: 'SelfSubjectRulesReview',
};

/** Whether somebody asks a cluster what they may do in it. */
export function isSelfReview({ info }: Exchange): boolean {
  return (
    info.verb === 'create' &&
    info.group === authorizationGroup &&
    info.subresource === '' &&
    Object.hasOwn(kinds, info.resource)
  );
}

/**
 * A cluster that is elsewhere knows what its caller may do, and not what the caller's credential lets through: who asks
 * with one that is narrowed gets the answer that their requests will. `send` passes a body on and gives what comes back.
 */
export async function narrowedReview(
  exchange: Exchange,
  passes: Passes,
  send: (body: Uint8Array) => Promise<{ readonly status: number; readonly body: Uint8Array }>,
): Promise<Reply> {
  const bytes = await readBody(exchange, longestReview);
  const review = decoded(exchange, bytes);
  if (exchange.info.resource === 'selfsubjectaccessreviews') {
    const { allowed, reason } = await passes(askedAttributes(review));
    if (!allowed) return answer(201, { ...review, status: { allowed, ...(reason === '' ? {} : { reason }) } });
  }
  const { status, body } = await send(bytes);
  const said = status === 201 ? parsed(body) : undefined;
  const rules = isJsonObject(said) ? objectAt(said, 'status') : undefined;
  if (!isJsonObject(said) || rules === undefined || exchange.info.resource !== 'selfsubjectrulesreviews') {
    return { status, headers: { 'content-type': 'application/json' }, body };
  }
  const namespace = textAt(review, 'spec', 'namespace');
  const left = await narrowedRules(rules as unknown as ToldRules, namespace, passes);
  return answer(status, { ...said, status: left as unknown as JsonObject });
}

function answer(status: number, object: JsonObject): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: writeJson(object) };
}

function decoded({ info, request }: Exchange, bytes: Uint8Array): JsonObject {
  const { group, version, resource } = info;
  const kind = kinds[resource] ?? '';
  const format = bodyFormat(request.headers['content-type'], ['json', 'protobuf']);
  if (format === 'protobuf') return protobufCodec.decode({ group, version, kind }, bytes);
  const review = parsed(bytes);
  if (isJsonObject(review)) return review;
  throw unsupportedMediaType(`the body of the request is no ${kind}`);
}

/** undefined: it is no JSON. */
function parsed(bytes: Uint8Array): JsonValue | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonValue;
  } catch {
    return undefined;
  }
}
