import { type AuthenticatedChainOptions, authenticatedChain, publicChain } from '../../http/chain.ts';
import type { Filter, Handler } from '../../http/exchange.ts';
import type { Mount } from '../../http/router.ts';
import type { CloseStack } from '../../process/close-stack.ts';
import type { OidcProvider, OidcProviderOptions } from './open-oidc-provider.ts';

/** Mounts the endpoints of the provider. */
export type MountOidcProvider = (chain: AuthenticatedChainOptions, audited: Filter) => Mount[];

/**
 * Returns the function that mounts the provider below `/oidc`; `undefined` if it is disabled. The code of the provider is
 * loaded with the first request.
 */
export function oidcProviderMounts(
  options: Omit<OidcProviderOptions, 'issuer'> & { readonly externalUrl: string | undefined },
  closing: CloseStack,
): MountOidcProvider | undefined {
  const { settings, externalUrl } = options;
  if (!settings.enabled || externalUrl === undefined) return undefined;
  let loading: Promise<OidcProvider> | undefined;
  const load = async (): Promise<OidcProvider> => {
    const { openOidcProvider } = await import('./open-oidc-provider.ts');
    return openOidcProvider({ ...options, issuer: `${externalUrl}${basePath}` });
  };
  closing.add('OIDC provider', async () => (await loading)?.close());
  const endpoint =
    (choose: (provider: OidcProvider) => Handler): Handler =>
    async (exchange) => {
      loading ??= load();
      return await choose(await loading)(exchange);
    };
  return (chain, audited) => {
    const open = (choose: (provider: OidcProvider) => Handler) => publicChain(chain, endpoint(choose));
    const mounts: readonly (readonly [string, Handler])[] = [
      ['.well-known/openid-configuration', open(({ configuration }) => configuration)],
      ['jwks', open(({ jwks }) => jwks)],
      ['authorize', open(({ authorize }) => authorize)],
      ['token', open((provider) => provider.token(audited))],
      ['end-session', open((provider) => provider.endSession(audited))],
      ['revoke', open((provider) => provider.revoke(audited))],
      ['userinfo', open(({ userinfo }) => userinfo)],
      [
        'consent',
        authenticatedChain(
          chain,
          endpoint(({ consent }) => consent),
        ),
      ],
    ];
    return mounts.map(([path, handler]) => ({ prefix: `${basePath}/${path}`, exact: true, handler }));
  };
}

const basePath = '/oidc';
