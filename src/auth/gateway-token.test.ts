import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { type GatewayTokenClaims, gatewayTokenPayload, readGatewayToken } from './gateway-token.ts';

const claims: GatewayTokenClaims = {
  issuer: 'here',
  subject: 'anna',
  instance: 'uid-1',
  accessKey: { name: 'annas', uid: 'uid-2', mark: 'm' },
  scopes: [{ projects: [{ project: 'red' }] }],
  issuedAt: 1,
  expiresAt: 2,
  id: 'id',
};

describe('gateway tokens (completions §3)', () => {
  it('reading a payload returns the claims it was built from', () => {
    expect(readGatewayToken(gatewayTokenPayload(claims), 'here')).toEqual(claims);
  });

  it('a payload with another audience, another issuer or a missing claim is rejected', () => {
    const payload = gatewayTokenPayload(claims);
    expect(readGatewayToken(payload, 'there')).toBeUndefined();
    expect(readGatewayToken({ ...payload, iss: '' }, '')).toBeUndefined();
    const changes: JsonObject[] = [
      { aud: 'direct-cluster-endpoint' },
      { aud: ['virtual-cluster', 'more'] },
      ...Object.keys(payload).map((member) => ({ [member]: null })),
      { scopes: ['text'] },
      { accessKey: { name: 'annas', uid: 'uid-2' } },
      { exp: 'later' },
    ];
    for (const change of changes) {
      expect(readGatewayToken({ ...payload, ...change }, 'here'), JSON.stringify(change)).toBeUndefined();
    }
  });
});
