import { type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import type { ResourceKind } from '../api/resource.ts';
import { redactedPlaceholder } from './redact.ts';

/** A request body or response body for the audit log, before secrets are removed from it. */
export interface AuditedBody {
  readonly kind: Pick<ResourceKind, 'confidential'>;
  /** Returns the body. Called only if the audit policy includes bodies, because parsing a body takes time. */
  value(): JsonValue;
}

/** Matches names of JSON members that contain, or probably contain, credentials. Their values are redacted. */
const secretName =
  /password|passphrase|secret|token|credential|private.?key|client-key|kubeconfig|connectordata|access.?key$|^key$|authorization/i;
/** Matches names of JSON members whose strings are whole documents, such as Helm values, which may contain secrets. */
const documentName = /^(parameters|values|objects|kubectl\.kubernetes\.io\/last-applied-configuration)$/;

/**
 * The maximum length of a body in an audit line, in characters. A longer body is replaced by a note about its length.
 */
const maxBodyLength = 64 * 1024;
const maxDepth = 64;

/**
 * Returns a body for the audit log without values that could be a key, a token, a password or a kubeconfig (completions
 * §11). For a confidential kind, which may contain secrets in any member, the whole body is redacted.
 */
export function redactBody(body: AuditedBody): JsonValue {
  if (body.kind.confidential === true) return redactedPlaceholder;
  const kept = redactValue(body.value(), maxDepth);
  const length = JSON.stringify(kept).length;
  return length > maxBodyLength ? `[left out: ${length} characters]` : kept;
}

function redactValue(value: JsonValue, levels: number): JsonValue {
  // Write a bigint as a string of digits, because many JSON parsers round numbers above 2^53.
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return redactedPlaceholder;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, levels - 1));
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(value)) setMember(copy, name, redactMember(name, member, value, levels));
  return copy;
}

function redactMember(name: string, member: JsonValue, parent: JsonObject, levels: number): JsonValue {
  const isHarmless = member === null || typeof member === 'boolean' || typeof member === 'number';
  if (isHarmless) return member;
  if (secretName.test(name)) return redactedPlaceholder;
  if (documentName.test(name) && typeof member === 'string') return redactedPlaceholder;
  if (name === 'value' && typeof parent.path === 'string' && touchesSecret(parent.path)) return redactedPlaceholder;
  return redactValue(member, levels - 1);
}

/** True if `path`, the path of a JSON patch operation, refers to a member that may contain a secret. */
function touchesSecret(path: string): boolean {
  const steps = path.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.some((step) => secretName.test(step) || documentName.test(step));
}
