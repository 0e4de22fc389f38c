import type { AuditEvent } from '../api/audit/audit-event.ts';

/** All but the characters that JSON writes as they are, whatever stands around them. */
const unlikeInJson = /[^ !#-[\]-~]/;

/** Callers and clients that are remembered: beyond this many all are forgotten, and longer ones are not kept. */
const mostRemembered = 1_000;
const longestRemembered = 1_024;

/** How the lines of somebody begin. */
interface Caller {
  readonly username: string | undefined;
  readonly groups: readonly string[] | undefined;
  readonly accessKey: string | undefined;
  readonly text: string;
}

/** What they say of a program at an address. */
interface Client {
  readonly address: string | undefined;
  readonly text: string;
}

/**
 * Events as JSON, to the letter as `JSON.stringify` writes them where their members stand in the order of `AuditEvent`, and
 * in less than half the time: every write has two lines. Who asks is the same in many of them, and the rest are texts that
 * hardly ever need an escape.
 */
export class EventText {
  readonly #callers = new Map<string, Caller>();
  readonly #clients = new Map<string, Client>();

  of(event: AuditEvent): string {
    if (hasRareMembers(event) || !isPlain(event)) return JSON.stringify(event);
    const { auditID, verb, requestURI, level, stage, requestReceivedTimestamp, stageTimestamp } = event;
    const what = `"auditID":"${auditID}","verb":"${verb}","requestURI":"${requestURI}",${this.#client(event)}${target(event)}`;
    const outcome = `,"level":"${level}","stage":"${stage}"${status(event)}${verdict(event)}`;
    const when = `,"requestReceivedTimestamp":"${requestReceivedTimestamp}","stageTimestamp":"${stageTimestamp}"}`;
    return this.#caller(event) + what + outcome + when;
  }

  #caller({ user, accessKey }: AuditEvent): string {
    const { username, groups } = user ?? nobody;
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
    const text = whole === '{}' ? '{' : `${whole.slice(0, -1)},`;
    remember(this.#callers, mark, { username, groups, accessKey, text });
    return text;
  }

  #client({ sourceIPs, userAgent }: AuditEvent): string {
    const address = sourceIPs[0];
    const known = this.#clients.get(userAgent);
    if (known !== undefined && known.address === address && sourceIPs.length === 1) return known.text;
    const text = JSON.stringify({ sourceIPs, userAgent }).slice(1, -1);
    if (sourceIPs.length === 1) remember(this.#clients, userAgent, { address, text });
    return text;
  }
}

/** Failed to say who they are. */
const nobody = { username: undefined, groups: undefined };

function remember<T extends { readonly text: string }>(known: Map<string, T>, mark: string, value: T): void {
  if (value.text.length > longestRemembered) return;
  if (known.size >= mostRemembered) known.clear();
  known.set(mark, value);
}

function hasRareMembers(event: AuditEvent): boolean {
  return (
    event.impersonatedUser !== undefined ||
    event.requestObject !== undefined ||
    event.responseObject !== undefined ||
    event.annotations !== undefined ||
    event.agent !== undefined
  );
}

/** Whether no text needs an escape. All are looked at as one, as to begin takes longer than to look at a text. */
function isPlain(event: AuditEvent): boolean {
  const { objectRef, responseStatus, decision } = event;
  let texts = `${event.auditID}${event.verb}${event.requestURI}${event.requestReceivedTimestamp}${event.stageTimestamp}`;
  if (objectRef !== undefined) {
    const { resource, namespace = '', name = '', apiGroup = '', apiVersion = '', subresource = '' } = objectRef;
    texts += `${resource}${namespace}${name}${apiGroup}${apiVersion}${subresource}`;
  }
  if (responseStatus?.reason !== undefined) texts += responseStatus.reason;
  if (decision !== undefined) texts += decision.reason;
  if (decision?.scopes !== undefined) texts += decision.scopes.join();
  return !unlikeInJson.test(texts);
}

function target({ objectRef }: AuditEvent): string {
  if (objectRef === undefined) return '';
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = objectRef;
  let text = `,"objectRef":{"resource":"${resource}"`;
  if (namespace !== undefined) text += `,"namespace":"${namespace}"`;
  if (name !== undefined) text += `,"name":"${name}"`;
  if (apiGroup !== undefined) text += `,"apiGroup":"${apiGroup}"`;
  if (apiVersion !== undefined) text += `,"apiVersion":"${apiVersion}"`;
  if (subresource !== undefined) text += `,"subresource":"${subresource}"`;
  return `${text}}`;
}

function status({ responseStatus }: AuditEvent): string {
  if (responseStatus === undefined) return '';
  const { code, reason } = responseStatus;
  const said = reason === undefined ? '' : `,"reason":"${reason}"`;
  return `,"responseStatus":{"code":${code}${said}}`;
}

function verdict({ decision }: AuditEvent): string {
  if (decision === undefined) return '';
  const { allowed, reason, scopes } = decision;
  const within = scopes === undefined ? '' : `,"scopes":${scopes.length === 0 ? '[]' : `["${scopes.join('","')}"]`}`;
  return `,"decision":{"allowed":${allowed},"reason":"${reason}"${within}}`;
}
