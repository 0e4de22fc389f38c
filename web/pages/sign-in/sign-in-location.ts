import { type SignInProblem, signInProblems } from '../../../src/api/sign-in.ts';

/** The path to which the server redirects browsers after a failed sign-in through a connector. */
export const signInPath = '/sign-in';

/** A failed sign-in as described in the URL. */
export interface FailedSignIn {
  readonly problem: SignInProblem;
  /**
   * The name of the connector in the URL. Anybody can create such a URL, so pages show the name only if the server has
   * a connector with this name.
   */
  readonly connector: string;
}

type PageLocation = Pick<Location, 'pathname' | 'search'>;

/**
 * Returns the failed sign-in that a URL describes; `undefined` if the URL describes none or names an unknown problem.
 */
export function failedSignIn({ pathname, search }: PageLocation): FailedSignIn | undefined {
  if (pathname !== signInPath) return undefined;
  const query = new URLSearchParams(search);
  const problem = signInProblems.find((each) => each === query.get('problem'));
  return problem === undefined ? undefined : { problem, connector: query.get('connector') ?? '' };
}

/** Returns the URL that starts a sign-in through a connector and then returns to the current page. */
export function connectorUrl(connector: string, { pathname, search }: PageLocation): string {
  const returnTo = pathname === signInPath ? '/' : `${pathname}${search}`;
  return `/auth/oidc/${encodeURIComponent(connector)}/login?${new URLSearchParams({ returnTo })}`;
}
