import { type SecondFactorSetup, secondFactorCause, secondFactorSetupCause } from '../../../src/api/second-factor.ts';
import { StatusError } from '../../../src/api/status.ts';

/** The request of the server for a code. `setup` is present if the user must set up a second factor first. */
export interface CodeRequest {
  readonly setup?: SecondFactorSetup;
}

/**
 * Returns the server's request for a code, which is in the error response to a login; `undefined` if the response is
 * another error.
 */
export function codeRequestOf(error: unknown): CodeRequest | undefined {
  const causes = error instanceof StatusError && error.code === 401 ? (error.status.details?.causes ?? []) : [];
  if (causes.some(({ reason }) => reason === secondFactorCause)) return {};
  if (!causes.some(({ reason }) => reason === secondFactorSetupCause)) return undefined;
  const field = (name: string) => causes.find((cause) => cause.field === name)?.message ?? '';
  return { setup: { secret: field('secret'), uri: field('uri'), setup: field('setup') } };
}
