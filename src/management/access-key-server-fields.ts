import { objectAt, textAt } from '../lib/json-path.ts';
import { equalJson, type JsonObject } from '../lib/json-value.ts';
import { writeJson } from '../lib/json-write.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft } from '../registry/resource.ts';
import type { Sealer } from '../seal/sealer.ts';
import { hiddenConnectorData, hiddenOidcTokens } from './access-key-hidden.ts';

/** Login data: the server's to write, whoever the key is for. */
const serverFields = ['identity', 'identityRefresh', 'oidcProvider', 'parent', 'oidcLogin'] as const;

const tokenMembers = ['idToken', 'accessToken', 'refreshToken'] as const;

export const connectorDataPurpose = 'access-key-connector-data';
export const oidcTokensPurpose = 'access-key-oidc-tokens';

/** What others send is dropped, with a Warning if it was not what is there; what the server sends is taken apart. */
export function keepServerFields(draft: Draft, spec: JsonObject, context: RequestContext, sealer: Sealer): void {
  if (context.system) {
    sealConnectorData(draft, spec, sealer);
    sealTokens(draft, spec, sealer);
    return;
  }
  for (const field of serverFields) {
    const kept = objectAt(draft.old?.object, 'spec')?.[field];
    if (spec[field] !== undefined && !equalJson(spec[field], kept)) {
      context.warn(`spec.${field} is written by the server only; what was sent is dropped`);
    }
    if (kept === undefined) delete spec[field];
    else spec[field] = kept;
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

/** The same value keeps its sealed form, so that a write that changes nothing changes nothing. */
function sealInto(draft: Draft, member: string, purpose: string, clear: string, sealer: Sealer): void {
  if (clear === '') return;
  const kept = textAt(draft.hidden, member);
  if (kept !== '' && sealer.open(purpose, kept) === clear) return;
  draft.hidden[member] = sealer.seal(purpose, clear);
}
