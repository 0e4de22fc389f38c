import { type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import type { ResourceKind } from '../api/resource.ts';
import { redacted } from './redact.ts';

/** The body of a request or response that is about to be logged. */
export interface AuditedBody {
  readonly kind: Pick<ResourceKind, 'confidential'>;
  /** Called only if the audit policy logs bodies. */
  value(): JsonValue;
}

/** Names of members that contain, or are likely to contain, credentials. Their values are redacted. */
const secretName =
  /password|passphrase|secret|token|credential|private.?key|client-key|kubeconfig|connectordata|access.?key$|^key$|authorization/i;
/** Names of strings that are documents (values, manifests, parameters), whose contents are unknown. */
const documentName = /^(parameters|values|objects|kubectl\.kubernetes\.io\/last-applied-configuration)$/;

/** Keeps lines at a reasonable length. Longer bodies are replaced with their length. */
const maxBodyLength = 64 * 1024;
const maxDepth = 64;

/**
 * Returns the body as the audit log may contain it (completions §11): without anything that could be a key, a token, a
 * password or a kubeconfig. Bodies of confidential kinds, which may contain secrets in unexpected members, are redacted
 * completely.
 */
export function redactBody(body: AuditedBody): JsonValue {
  if (body.kind.confidential === true) return redacted;
  const kept = redactValue(body.value(), maxDepth);
  const length = JSON.stringify(kept).length;
  return length > maxBodyLength ? `[left out: ${length} characters]` : kept;
}

function redactValue(value: JsonValue, levels: number): JsonValue {
  // JSON readers disagree on numbers beyond 2^53. The digits as a string are exact.
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return redacted;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, levels - 1));
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(value)) setMember(copy, name, redactMember(name, member, value, levels));
  return copy;
}

function redactMember(name: string, member: JsonValue, parent: JsonObject, levels: number): JsonValue {
  const isHarmless = member === null || typeof member === 'boolean' || typeof member === 'number';
  if (isHarmless) return member;
  if (secretName.test(name)) return redacted;
  if (documentName.test(name) && typeof member === 'string') return redacted;
  if (name === 'value' && typeof parent.path === 'string' && touchesSecret(parent.path)) return redacted;
  return redactValue(member, levels - 1);
}

/** An operation of a JSON patch refers to the member that its value is for. */
function touchesSecret(path: string): boolean {
  const steps = path.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.some((step) => secretName.test(step) || documentName.test(step));
}
