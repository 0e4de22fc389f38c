import { type AuthenticatedChainOptions, authenticatedChain, publicChain } from '../../http/chain.ts';
import type { Filter, Handler } from '../../http/exchange.ts';
import { auditFilter } from '../../http/filters/audit.ts';
import type { Mount } from '../../http/router.ts';
import type { BrowserSessions } from '../../http/session/browser-session.ts';
import type { MountOidcProvider } from '../oidc-provider/oidc-provider-mounts.ts';
import type { GrantHandlers } from './grants/open-grant-handlers.ts';

/** The handlers below `/auth`. */
export interface AuthHandlers {
  readonly jwks: Handler;
  readonly signingKeys: Handler;
  readonly methods: Handler;
  readonly totp: Handler;
  /**
   * Creates the login handlers. The handlers apply the filter `audited` themselves, because only some login attempts
   * are audited.
   */
  createLoginHandlers(audited: Filter): {
    readonly password: Handler;
    readonly session: Handler;
    /** The handler that exchanges tokens of workloads for access keys; `undefined` if no issuer is trusted. */
    readonly token: Handler | undefined;
    /** All paths below `/auth/oidc`. */
    readonly oidc: Handler;
    readonly reset: Handler;
  };
  readonly logout: Handler;
  /** The sessions of browsers; absent if they are disabled. */
  readonly sessions?: BrowserSessions;
  /** Logins of the command line that users allow in the console. Absent if browser sessions are disabled. */
  readonly grants?: GrantHandlers;
  /** Mounts the OpenID Connect provider. Absent if it is disabled. */
  readonly mountOidcProvider?: MountOidcProvider | undefined;
}

/**
 * Mounts the `/auth` paths. A login request has no access key. It is nevertheless audited like an authenticated
 * request, and failed attempts are delayed. Every caller may log out. Only administrators may rotate the signing key.
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
    ['/auth/methods', publicChain(options, handlers.methods)],
    ['/auth/password/login', publicChain(options, loginHandlers.password)],
    ['/auth/password/reset', publicChain(options, loginHandlers.reset)],
    ...(handlers.sessions === undefined
      ? []
      : ([['/auth/session', publicChain(options, loginHandlers.session)]] as const)),
    ...(loginHandlers.token === undefined
      ? []
      : ([['/auth/token', publicChain(options, loginHandlers.token)]] as const)),
    ...(handlers.grants?.createPublic(audited) ?? []).map(
      ([path, handler]) => [path, publicChain(options, handler)] as const,
    ),
    ...(handlers.grants?.authenticated ?? []).map(
      ([path, handler]) => [path, authenticatedChain(options, handler)] as const,
    ),
    ['/auth/totp', authenticatedChain(options, handlers.totp)],
    ['/auth/logout', authenticatedChain(options, handlers.logout)],
    ['/auth/signing-keys', authenticatedChain(forAdmins, handlers.signingKeys)],
  ];
  return [
    ...mounts.map(([prefix, handler]) => ({ prefix, exact: true, handler })),
    { prefix: '/auth/oidc', handler: publicChain(options, loginHandlers.oidc) },
    ...(handlers.mountOidcProvider?.(options, audited) ?? []),
  ];
}
