import type { ResourceKind } from '../api/resource.ts';
import { type JsonObject, type JsonValue, setMember } from '../lib/json-value.ts';
import { redacted } from './redact.ts';

/** What came with a request or its answer, on its way into the log. */
export interface AuditedBody {
  readonly kind: Pick<ResourceKind, 'confidential'>;
  /** Asked for only where the policy wants bodies at all. */
  value(): JsonValue;
}

/** Members that hold, or are likely to hold, what opens something; whatever stands in them is cut. */
const secretName =
  /password|passphrase|secret|token|credential|private.?key|client-key|kubeconfig|connectordata|access.?key$|^key$|authorization/i;
/** Texts that are documents of their own (values, manifests, parameters): nobody can say what is in them. */
const documentName = /^(parameters|values|objects|kubectl\.kubernetes\.io\/last-applied-configuration)$/;

/** A line must stay a line: what is longer is told by its length alone. */
const longestBody = 64 * 1024;
const deepest = 64;

/**
 * A body as the audit log may hold it (completions §11): without anything that could be a key, a token, a password or
 * a kubeconfig. Of a kind whose bodies may hold secrets in a wrong place too, nothing is kept.
 */
export function auditBody(body: AuditedBody): JsonValue {
  if (body.kind.confidential === true) return redacted;
  const kept = cut(body.value(), deepest);
  const length = JSON.stringify(kept).length;
  return length > longestBody ? `[left out: ${length} characters]` : kept;
}

function cut(value: JsonValue, levels: number): JsonValue {
  // Beyond 2^53 no JSON reader agrees on a number; its digits as text are exact.
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return redacted;
  if (Array.isArray(value)) return value.map((item) => cut(item, levels - 1));
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(value)) setMember(copy, name, cutMember(name, member, value, levels));
  return copy;
}

function cutMember(name: string, member: JsonValue, parent: JsonObject, levels: number): JsonValue {
  const opensNothing = member === null || typeof member === 'boolean' || typeof member === 'number';
  if (opensNothing) return member;
  if (secretName.test(name)) return redacted;
  if (documentName.test(name) && typeof member === 'string') return redacted;
  if (name === 'value' && typeof parent.path === 'string' && touchesSecret(parent.path)) return redacted;
  return cut(member, levels - 1);
}

/** An operation of a JSON patch names the member that its value is for. */
function touchesSecret(path: string): boolean {
  const steps = path.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.some((step) => secretName.test(step) || documentName.test(step));
}
