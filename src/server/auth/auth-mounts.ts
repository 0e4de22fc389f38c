import { type AuthenticatedChainOptions, authenticatedChain, publicChain } from '../../http/chain.ts';
import type { Filter, Handler } from '../../http/exchange.ts';
import { auditFilter } from '../../http/filters/audit.ts';
import type { Mount } from '../../http/router.ts';
import type { BrowserSessions } from '../../http/session/browser-session.ts';

/** The handlers below `/auth`. */
export interface AuthHandlers {
  readonly jwks: Handler;
  readonly signingKeys: Handler;
  /** Creates the login handlers. They use `audited` themselves, because only some login attempts are audited. */
  createLoginHandlers(audited: Filter): { readonly password: Handler; readonly session: Handler };
  readonly logout: Handler;
  /** Absent if browser sessions are disabled. */
  readonly sessions?: BrowserSessions;
}

/**
 * Mounts the `/auth` paths. A login request has no access key: it is audited like authenticated requests, and failed
 * attempts are delayed. Every caller may log out. Only administrators may rotate the signing key.
 */
export function authMounts(
  handlers: AuthHandlers,
  options: AuthenticatedChainOptions,
  authorize: AuthenticatedChainOptions['authorize'],
): Mount[] {
  const { auditLog, auditRules, whenAuditUnwritable, clock, log } = options;
  const audited = auditFilter({
    auditLog,
    clock,
    log,
    ...(auditRules === undefined ? {} : { rules: auditRules }),
    ...(whenAuditUnwritable === undefined ? {} : { whenUnwritable: whenAuditUnwritable }),
  });
  const forAdmins = authorize === undefined ? options : { ...options, authorize };
  const loginHandlers = handlers.createLoginHandlers(audited);
  const mounts: readonly (readonly [string, Handler])[] = [
    ['/auth/jwks', publicChain(options, handlers.jwks)],
    ['/auth/password/login', publicChain(options, loginHandlers.password)],
    ...(handlers.sessions === undefined
      ? []
      : ([['/auth/session', publicChain(options, loginHandlers.session)]] as const)),
    ['/auth/logout', authenticatedChain(options, handlers.logout)],
    ['/auth/signing-keys', authenticatedChain(forAdmins, handlers.signingKeys)],
  ];
  return mounts.map(([prefix, handler]) => ({ prefix, exact: true, handler }));
}
