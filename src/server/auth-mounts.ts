import type { BrowserSessions } from '../http/browser-session.ts';
import { type GuardedChainOptions, guardedChain, openChain } from '../http/chain.ts';
import type { Filter, Handler } from '../http/exchange.ts';
import { audit } from '../http/filters/audit.ts';
import type { Mount } from '../http/router.ts';

/** What is done below `/auth`. */
export interface AuthHandlers {
  readonly jwks: Handler;
  readonly signingKeys: Handler;
  /** They decide themselves what is worth a line of the audit log. */
  signingIn(audited: Filter): { readonly password: Handler; readonly session: Handler };
  readonly logout: Handler;
  /** Absent: there are none in browsers. */
  readonly sessions?: BrowserSessions;
}

/**
 * `/auth` in the address space. A login comes without a key: it is audited like what comes with one, and slows down by
 * itself whoever fails. Whoever has a key may end the login that it came from; another signing key is for admins.
 */
export function authMounts(
  handlers: AuthHandlers,
  options: GuardedChainOptions,
  authorize: GuardedChainOptions['authorize'],
): Mount[] {
  const { auditLog, auditRules, whenAuditUnwritable, clock, log } = options;
  const audited = audit({
    auditLog,
    clock,
    log,
    ...(auditRules === undefined ? {} : { rules: auditRules }),
    ...(whenAuditUnwritable === undefined ? {} : { whenUnwritable: whenAuditUnwritable }),
  });
  const forAdmins = authorize === undefined ? options : { ...options, authorize };
  const signingIn = handlers.signingIn(audited);
  const mounts: readonly (readonly [string, Handler])[] = [
    ['/auth/jwks', openChain(options, handlers.jwks)],
    ['/auth/password/login', openChain(options, signingIn.password)],
    ...(handlers.sessions === undefined ? [] : ([['/auth/session', openChain(options, signingIn.session)]] as const)),
    ['/auth/logout', guardedChain(options, handlers.logout)],
    ['/auth/signing-keys', guardedChain(forAdmins, handlers.signingKeys)],
  ];
  return mounts.map(([prefix, handler]) => ({ prefix, exact: true, handler }));
}
