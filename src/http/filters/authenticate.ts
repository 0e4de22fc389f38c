import { unauthorized } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import { credentialOf } from '../credential.ts';
import type { Exchange, Filter } from '../exchange.ts';
import { withRights } from '../with-rights.ts';
import { withSignal } from '../with-signal.ts';

export interface AuthenticateOptions {
  /** undefined: 401, and the caller learns no more than that (rule ERR-13). */
  authenticate(token: string, exchange: Exchange): Identity | undefined | Promise<Identity | undefined>;
  /** Told of each failure before it is answered: audit keeps them too. */
  onFailure?(exchange: Exchange): Promise<void>;
}

/** From here on it is known who asks, and the request ends when their right to be here does. */
export function authenticate(options: AuthenticateOptions): Filter {
  return async (exchange, next) => {
    const credential = credentialOf(exchange.request);
    const identity = credential === undefined ? undefined : await options.authenticate(credential, exchange);
    if (identity === undefined || identity.signal.aborted) {
      await options.onFailure?.(exchange);
      throw unauthorized();
    }
    exchange.identity = identity;
    return await withSignal(exchange, identity.signal, () => withRights(exchange, identity, next));
  };
}
