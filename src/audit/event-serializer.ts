import { fastPathsEnabled } from '@flotilla/fast-paths';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import { BoundedCache } from '../lib/bounded-cache.ts';
import { mayContainSecret } from './redact.ts';

/** Matches characters that JSON may escape. */
const needsEscape = /[^ !#-[\]-~]/;

/** Limits of the caches for callers, clients, targets and outcomes. */
const cacheLimits = { most: 1_000, longest: 1_024 };

/** The cached start of a caller's lines. */
interface Caller {
  readonly username: string | undefined;
  readonly groups: readonly string[] | undefined;
  readonly accessKey: string | undefined;
  readonly text: string;
}

/** The cached members of a client: its address and user agent. */
interface Client {
  readonly address: string | undefined;
  readonly text: string;
}

/** The cached members of a resource in a namespace, without the object name. */
interface Target {
  readonly namespace: string | undefined;
  readonly apiGroup: string | undefined;
  readonly apiVersion: string | undefined;
  readonly subresource: string | undefined;
  readonly before: string;
  readonly after: string;
}

/** The cached members of the outcome. Most requests have one of few outcomes. */
interface Outcome {
  readonly level: string;
  readonly code: number | undefined;
  readonly reason: string | undefined;
  readonly decision: AuditEvent['decision'];
  readonly text: string;
}

/** The cached timestamps, which all lines of a second share. */
interface Time {
  readonly received: string;
  readonly stage: string;
  readonly text: string;
}

/**
 * Serializes events as JSON, with exactly the output of `JSON.stringify` for members in the order of `AuditEvent`, in a
 * fraction of the time: every write has two lines. Callers and targets repeat, and the remaining strings rarely need
 * escapes. Text that could contain a secret is never cached and never returned by the fast path.
 */
export class EventSerializer {
  readonly #callers = new BoundedCache<Caller>(cacheLimits);
  readonly #clients = new BoundedCache<Client>(cacheLimits);
  readonly #targets = new BoundedCache<Target>(cacheLimits);
  readonly #outcomes = new BoundedCache<Outcome>(cacheLimits);
  #latest: Time | undefined;

  serialize(event: AuditEvent): string {
    const beginning = this.serializePrefix(event);
    const rest = beginning === undefined ? undefined : this.serializeSuffix(event);
    return rest === undefined ? JSON.stringify(event) : beginning + rest;
  }

  /**
   * The members before `objectRef`. `undefined` if any needs an escape or may contain a secret: then, and on the plain
   * path, the caller uses JSON.stringify.
   */
  serializePrefix(event: AuditEvent): string | undefined {
    if (!fastPathsEnabled()) return undefined;
    const { auditID, verb, requestURI, impersonatedUser } = event;
    if (impersonatedUser !== undefined || !isPlain(auditID + verb + requestURI)) return undefined;
    const caller = this.#caller(event);
    const client = this.#client(event);
    if (caller === undefined || client === undefined) return undefined;
    return `${caller}"auditID":"${auditID}","verb":"${verb}","requestURI":"${requestURI}",${client}`;
  }

  /** The remaining members. `undefined` if any needs an escape, may contain a secret, or is rare. */
  serializeSuffix(event: AuditEvent): string | undefined {
    if (hasRareMembers(event)) return undefined;
    const target = this.#target(event);
    const outcome = this.#outcome(event);
    const time = this.#time(event);
    if (target === undefined || outcome === undefined || time === undefined) return undefined;
    return target + outcome + time;
  }

  #caller({ user, accessKey }: AuditEvent): string | undefined {
    const { username, groups } = user ?? unauthenticated;
    const mark = accessKey ?? username ?? '';
    const known = this.#callers.get(mark);
    if (
      known !== undefined &&
      known.groups === groups &&
      known.username === username &&
      known.accessKey === accessKey
    ) {
      return known.text;
    }
    const whole = JSON.stringify({ user, accessKey });
    if (mayContainSecret(whole)) return undefined;
    const text = whole === '{}' ? '{' : `${whole.slice(0, -1)},`;
    if (text.length <= cacheLimits.longest) this.#callers.set(mark, { username, groups, accessKey, text });
    return text;
  }

  #client({ sourceIPs, userAgent }: AuditEvent): string | undefined {
    const address = sourceIPs[0];
    const known = this.#clients.get(userAgent);
    if (known !== undefined && known.address === address && sourceIPs.length === 1) return known.text;
    const text = JSON.stringify({ sourceIPs, userAgent }).slice(1, -1);
    if (mayContainSecret(text)) return undefined;
    const isKept = sourceIPs.length === 1 && text.length <= cacheLimits.longest;
    if (isKept) this.#clients.set(userAgent, { address, text });
    return text;
  }

  #target({ objectRef }: AuditEvent): string | undefined {
    if (objectRef === undefined) return '';
    const { resource, namespace, name, apiGroup, apiVersion, subresource } = objectRef;
    let known = this.#targets.get(resource);
    if (
      known === undefined ||
      known.namespace !== namespace ||
      known.apiGroup !== apiGroup ||
      known.apiVersion !== apiVersion ||
      known.subresource !== subresource
    ) {
      if (!isPlain(resource + textOf(namespace) + textOf(apiGroup) + textOf(apiVersion) + textOf(subresource))) {
        return undefined;
      }
      const before = `,"objectRef":{"resource":"${resource}"${member('namespace', namespace)}`;
      const group = member('apiGroup', apiGroup) + member('apiVersion', apiVersion);
      const after = `${group}${member('subresource', subresource)}}`;
      known = { namespace, apiGroup, apiVersion, subresource, before, after };
      if (before.length + after.length <= cacheLimits.longest) this.#targets.set(resource, known);
    }
    if (name === undefined) return known.before + known.after;
    return isPlain(name) ? `${known.before},"name":"${name}"${known.after}` : undefined;
  }

  #outcome({ level, stage, responseStatus, decision }: AuditEvent): string | undefined {
    const code = responseStatus?.code;
    const reason = responseStatus?.reason;
    const known = this.#outcomes.get(stage);
    if (
      known !== undefined &&
      known.level === level &&
      known.code === code &&
      known.reason === reason &&
      isSameDecision(known.decision, decision)
    ) {
      return known.text;
    }
    const status = statusText(code, reason);
    const decisionJson = decisionText(decision);
    if (status === undefined || decisionJson === undefined) return undefined;
    const text = `,"level":"${level}","stage":"${stage}"${status}${decisionJson}`;
    if (text.length <= cacheLimits.longest) this.#outcomes.set(stage, { level, code, reason, decision, text });
    return text;
  }

  #time({ requestReceivedTimestamp: received, stageTimestamp: stage }: AuditEvent): string | undefined {
    const known = this.#latest;
    if (known !== undefined && known.received === received && known.stage === stage) return known.text;
    if (!isPlain(received + stage)) return undefined;
    const text = `,"requestReceivedTimestamp":"${received}","stageTimestamp":"${stage}"}`;
    this.#latest = { received, stage, text };
    return text;
  }
}

/** The caller of an unauthenticated request. */
const unauthenticated = { username: undefined, groups: undefined };

function hasRareMembers(event: AuditEvent): boolean {
  return (
    event.requestObject !== undefined ||
    event.responseObject !== undefined ||
    event.annotations !== undefined ||
    event.agent !== undefined
  );
}

/**
 * True if the text can be written without change: it needs no escape and cannot contain a secret. Several strings are
 * concatenated and checked together, because starting a check takes longer than the check itself.
 */
function isPlain(text: string): boolean {
  return !needsEscape.test(text) && !mayContainSecret(text);
}

function textOf(value: string | undefined): string {
  return value ?? '';
}

function member(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":"${value}"`;
}

function isSameDecision(one: AuditEvent['decision'], other: AuditEvent['decision']): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return one.allowed === other.allowed && one.reason === other.reason && one.scopes === other.scopes;
}

function statusText(code: number | undefined, reason: string | undefined): string | undefined {
  if (code === undefined) return '';
  if (reason === undefined) return `,"responseStatus":{"code":${code}}`;
  return isPlain(reason) ? `,"responseStatus":{"code":${code},"reason":"${reason}"}` : undefined;
}

function decisionText(decision: AuditEvent['decision']): string | undefined {
  if (decision === undefined) return '';
  const { allowed, reason, scopes } = decision;
  if (!isPlain(reason + (scopes?.join() ?? ''))) return undefined;
  const within = scopes === undefined ? '' : `,"scopes":${scopes.length === 0 ? '[]' : `["${scopes.join('","')}"]`}`;
  return `,"decision":{"allowed":${allowed},"reason":"${reason}"${within}}`;
}
