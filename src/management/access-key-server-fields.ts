import { objectAt, textAt } from '../lib/json-path.ts';
import { equalJson, type JsonObject } from '../lib/json-value.ts';
import { writeJson } from '../lib/json-write.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft } from '../registry/resource.ts';
import type { Sealer } from '../seal/sealer.ts';
import { hiddenConnectorData, hiddenOidcTokens } from './access-key-hidden.ts';

/** Login data that only the server may write, regardless of the key's owner. */
const serverFields = ['identity', 'identityRefresh', 'oidcProvider', 'parent', 'oidcLogin'] as const;

const tokenMembers = ['idToken', 'accessToken', 'refreshToken'] as const;

export const connectorDataPurpose = 'access-key-connector-data';
export const oidcTokensPurpose = 'access-key-oidc-tokens';

/** Ignores these fields in client requests, with a Warning if they differ; seals the secrets that the server writes. */
export function keepServerFields(draft: Draft, spec: JsonObject, context: RequestContext, sealer: Sealer): void {
  if (context.system) {
    sealConnectorData(draft, spec, sealer);
    sealTokens(draft, spec, sealer);
    return;
  }
  for (const field of serverFields) {
    const stored = objectAt(draft.old?.object, 'spec')?.[field];
    if (spec[field] !== undefined && !equalJson(spec[field], stored)) {
      context.warn(`spec.${field} is set by the server; the value in the request is ignored`);
    }
    if (stored === undefined) delete spec[field];
    else spec[field] = stored;
  }
}

function sealConnectorData(draft: Draft, spec: JsonObject, sealer: Sealer): void {
  const identity = objectAt(spec, 'identity');
  const data = textAt(identity, 'connectorData');
  if (identity === undefined || !Object.hasOwn(identity, 'connectorData')) return;
  const { connectorData: _, ...shown } = identity;
  spec.identity = shown;
  sealInto(draft, hiddenConnectorData, connectorDataPurpose, data, sealer);
}

function sealTokens(draft: Draft, spec: JsonObject, sealer: Sealer): void {
  const login = objectAt(spec, 'oidcLogin');
  if (login === undefined) return;
  const tokens: JsonObject = {};
  const shown = { ...login };
  for (const member of tokenMembers) {
    if (textAt(login, member) !== '') tokens[member] = textAt(login, member);
    delete shown[member];
  }
  spec.oidcLogin = shown;
  if (Object.keys(tokens).length > 0) sealInto(draft, hiddenOidcTokens, oidcTokensPurpose, writeJson(tokens), sealer);
}

/** An unchanged value keeps its sealed form, so that a write without changes stays a no-op. */
function sealInto(draft: Draft, member: string, purpose: string, clear: string, sealer: Sealer): void {
  if (clear === '') return;
  const stored = textAt(draft.hidden, member);
  if (stored !== '' && sealer.open(purpose, stored) === clear) return;
  draft.hidden[member] = sealer.seal(purpose, clear);
}
