import { randomInt } from 'node:crypto';
import { type JsonValue, numberAt, textAt } from '@flotilla/json';
import { userCodeLength, userCodeLetters } from '../../../api/auth/cli-login.ts';
import type { LoginGrant } from './redeem-grant.ts';

/** A login of a command line without a browser. The user allows it by typing its code into the console. */
export interface DeviceGrant extends LoginGrant {
  readonly state: 'Pending' | 'Allowed' | 'Denied';
  /** Keyed hash of the secret that the command line polls with. */
  readonly secretHash: string;
  /** The address from which the command line requested the login. */
  readonly address: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
}

export const deviceTtlSeconds = 600;

/** There are 20^8 codes: a guess hits one of 6,400 pending codes with a probability of 1 in 4 million. */
export const deviceGrantLimits = {
  table: 'device',
  ttlSeconds: deviceTtlSeconds,
  maxPerSource: 20,
  maxTotal: 6_400,
} as const;

export function parseDeviceGrant(value: JsonValue): DeviceGrant {
  const text = (name: string) => textAt(value, name);
  const state = text('state');
  return {
    login: text('login'),
    owner: text('owner'),
    client: text('client'),
    state: state === 'Allowed' || state === 'Denied' ? state : 'Pending',
    secretHash: text('secretHash'),
    address: text('address'),
    requestedAt: numberAt(value, 'requestedAt') ?? 0,
    expiresAt: numberAt(value, 'expiresAt') ?? 0,
  };
}

export function generateUserCode(): string {
  return Array.from({ length: userCodeLength }, () => userCodeLetters[randomInt(userCodeLetters.length)]).join('');
}
