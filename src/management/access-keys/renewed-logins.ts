import type { JsonObject } from '@flotilla/json';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { unauthorized } from '../../api/status.ts';
import type { ManagementState } from '../state.ts';
import {
  type AccessKeyHidden,
  accessKeyHiddenOf,
  hiddenCreatorKey,
  hiddenKeyHash,
  hiddenRenewal,
} from './access-key-hidden.ts';
import { isLogin } from './login-keys.ts';

/**
 * True for a login of the command line that a user allowed in the console (`Logins.openBeside`). The console's login
 * created the new login, but the new login does not depend on it.
 */
export function isGrantedLogin(key: AccessKey, state: Pick<ManagementState, 'accessKeyHidden'>): boolean {
  const { createdWith = '' } = key.spec ?? {};
  const creator = state.accessKeyHidden(key.metadata.name ?? '')?.[hiddenCreatorKey]?.name ?? '';
  return isLogin(key) && createdWith !== '' && createdWith !== creator;
}

/**
 * Returns a function that records a renewal in the hidden part of a login when the renewal replaces the value of the
 * login. The function throws 401 if the value of the login has changed since the renewal was requested.
 */
export function recordRenewal({ from, to }: { readonly from: string; readonly to: string }) {
  return (untyped: JsonObject): void => {
    const hidden = accessKeyHiddenOf(untyped);
    if (hidden[hiddenKeyHash] !== from) throw unauthorized();
    hidden[hiddenRenewal] = { first: valueVersionOf(hidden), current: to };
  };
}

/**
 * Returns a text that changes when the value of a key is replaced. The text does not change when a login is renewed, so
 * streams and tokens of the login continue to work.
 */
export function valueVersionOf(hidden: AccessKeyHidden | undefined): string {
  const { [hiddenKeyHash]: hash = '', [hiddenRenewal]: renewal } = hidden ?? {};
  return renewal?.current === hash ? renewal.first : hash;
}
