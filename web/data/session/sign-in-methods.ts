import { queryOptions } from '@tanstack/react-query';
import type { SignInMethods } from '../../../src/api/sign-in.ts';
import { sendRequest } from '../../../src/client/send-request.ts';
import { pageSender } from '../send.ts';

/** The ways to sign in that the server offers. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<SignInMethods> => {
    const response = await sendRequest(pageSender, { method: 'GET', url: '/auth/methods', signal });
    return JSON.parse(await response.text()) as SignInMethods;
  },
});
