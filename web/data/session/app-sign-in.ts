import { parseTrustedJson } from '@flotilla/json';
import { send, sendJson } from '../send.ts';

/**
 * The server's answer to an app's authorization request: questions for the user, or the address at which the browser
 * continues.
 */
export type AppRequest =
  | { readonly location: string }
  | {
      readonly location?: undefined;
      readonly app: { readonly id: string; readonly name: string };
      readonly user: string;
      /** False if the user has already confirmed the sign-in to this app since the last login. */
      readonly mustConfirm: boolean;
      /** True if the app asks for a more recent login. */
      readonly mustSignInAgain: boolean;
      /** The reason why the user may not sign in to the app. Absent if the user may. */
      readonly refusal?: string;
    };

/**
 * Returns the server's answer to the authorization request of an app. `request` is the query of the authorization
 * request.
 */
export async function readAppRequest(request: string, signal: AbortSignal): Promise<AppRequest> {
  return await sendJson<AppRequest>({ url: `/oidc/consent?${new URLSearchParams({ request })}`, signal });
}

/** Sends the user's decision on the authorization request of an app, and redirects the browser to the app. */
export async function answerAppRequest(request: string, decision: 'allow' | 'deny'): Promise<void> {
  const response = await send({
    method: 'POST',
    url: '/oidc/consent',
    body: {
      type: 'application/x-www-form-urlencoded',
      text: new URLSearchParams({ request, decision }).toString(),
    },
  });
  const { location: next } = parseTrustedJson(await response.text()) as { readonly location: string };
  location.replace(next);
}
