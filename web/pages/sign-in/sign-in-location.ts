import { type SignInProblem, signInProblems } from '../../../src/api/sign-in.ts';

/** The path of the page to which the server sends browsers whose sign-in through a connector failed. */
export const signInPath = '/sign-in';

/** The failed sign-in that the URL names. */
export interface FailedSignIn {
  readonly problem: SignInProblem;
  /** The name of the connector. Anybody can write URLs, so pages show it only if the server has such a connector. */
  readonly connector: string;
}

type PageLocation = Pick<Location, 'pathname' | 'search'>;

/** Returns the failed sign-in that a URL names; `undefined` if it names none, or an unknown one. */
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
