import { equalJson, writeJson } from '@flotilla/json';
import type { AccessKeySpec } from '../../api/management/v1/access-key.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import { hiddenConnectorData, hiddenOidcTokens } from './access-key-hidden.ts';

/** Fields that only the server may write: login data, the keys of agents, and the creator of the key. */
const serverFields = [
  'identity',
  'identityRefresh',
  'oidcProvider',
  'parent',
  'oidcLogin',
  'agentKey',
  'agentJoin',
  'createdBy',
  'createdWith',
] as const;

export const connectorDataPurpose = 'access-key-connector-data';
export const oidcTokensPurpose = 'access-key-oidc-tokens';

/** A secret that is stored sealed in the hidden part of a key. */
interface HiddenSecret {
  readonly member: typeof hiddenConnectorData | typeof hiddenOidcTokens;
  /** The purpose with which the secret is sealed. It can be opened only with the same purpose. */
  readonly purpose: string;
}

const connectorDataSecret: HiddenSecret = { member: hiddenConnectorData, purpose: connectorDataPurpose };
const oidcTokensSecret: HiddenSecret = { member: hiddenOidcTokens, purpose: oidcTokensPurpose };

/**
 * Restores the stored values of the server's fields in client requests, with a warning if the client sent other values.
 * Seals the secrets that the server writes.
 */
export function keepServerFields(
  draft: AccessKeyDraft,
  spec: AccessKeySpec,
  context: RequestContext,
  sealer: Sealer,
): void {
  if (context.system) {
    sealConnectorData(draft, spec, sealer);
    sealTokens(draft, spec, sealer);
    return;
  }
  for (const field of serverFields) {
    if (spec[field] !== undefined && !equalJson(spec[field], draft.old?.object.spec?.[field])) {
      context.warn(`spec.${field} is set by the server; the value in the request is ignored`);
    }
    keepField(spec, field, draft.old?.object.spec);
  }
}

function keepField<Field extends (typeof serverFields)[number]>(
  spec: AccessKeySpec,
  field: Field,
  storedSpec: AccessKeySpec | undefined,
): void {
  const stored = storedSpec?.[field];
  if (stored === undefined) delete spec[field];
  else spec[field] = stored;
}

function sealConnectorData(draft: AccessKeyDraft, spec: AccessKeySpec, sealer: Sealer): void {
  const { connectorData, ...shown } = spec.identity ?? {};
  if (connectorData === undefined) return;
  spec.identity = shown;
  sealInto(draft, connectorDataSecret, connectorData, sealer);
}

function sealTokens(draft: AccessKeyDraft, spec: AccessKeySpec, sealer: Sealer): void {
  if (spec.oidcLogin === undefined) return;
  const { idToken = '', accessToken = '', refreshToken = '', ...shown } = spec.oidcLogin;
  const given = Object.entries({ idToken, accessToken, refreshToken }).filter(([, token]) => token !== '');
  const tokens = Object.fromEntries(given);
  spec.oidcLogin = shown;
  if (Object.keys(tokens).length > 0) sealInto(draft, oidcTokensSecret, writeJson(tokens), sealer);
}

/**
 * Seals a secret into the hidden part of a key. If the secret is unchanged, its sealed text stays unchanged too, so the
 * write changes nothing.
 */
function sealInto(draft: AccessKeyDraft, { member, purpose }: HiddenSecret, clear: string, sealer: Sealer): void {
  if (clear === '') return;
  const stored = draft.hidden[member] ?? '';
  if (stored !== '' && sealer.open(purpose, stored) === clear) return;
  draft.hidden[member] = sealer.seal(purpose, clear);
}
