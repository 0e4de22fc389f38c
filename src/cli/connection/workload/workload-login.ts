import { isJsonObject, type JsonObject, numberAt, textAt } from '@flotilla/json';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { CliError, exitCodes } from '../../cli-error.ts';
import type { Environment } from '../../environment.ts';
import { renewAfterPart } from '../granted-login/login-renewal.ts';
import { httpsFetch } from '../https-fetch.ts';
import { ambientToken, type TokenSource } from './ambient-token.ts';

/** The part of a saved login that later commands use to renew the access key. It contains no secrets. */
export interface WorkloadLogin extends TokenSource {
  /** The time after which the access key is renewed, before it expires. RFC 3339. */
  readonly renewAfter: string;
}

/** The members of a saved login that a workload gets in exchange for its token. */
interface OpenedWorkloadLogin {
  readonly accessKey: string;
  /** The time at which the access key expires. RFC 3339. */
  readonly expires: string;
  readonly workload: WorkloadLogin;
}

/** The server at which a workload logs in. */
interface WorkloadServer {
  readonly url: string;
  readonly authority?: string | undefined;
}

const timeoutMilliseconds = 30_000;

/** Exchanges the token of this workload for an access key (RFC 8693). */
export async function logInAsWorkload(
  server: WorkloadServer,
  source: TokenSource,
  environment: Environment,
): Promise<OpenedWorkloadLogin> {
  const token = await ambientToken(source, environment);
  const { fetch, close } = httpsFetch({ url: server.url, authority: server.authority, environment, warn() {} });
  try {
    const response = await fetch(`${server.url}/auth/token`, {
      method: 'POST',
      headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      }).toString(),
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    const body = parsed(await response.text());
    const accessKey = textAt(body, 'access_token');
    if (response.status !== 200 || accessKey === '') throw refusal(server.url, response.status, body);
    const lifetime = (numberAt(body, 'expires_in') ?? 0) * 1000;
    const after = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
    const workload = { ...source, renewAfter: after(lifetime * renewAfterPart) };
    return { accessKey, expires: after(lifetime), workload };
  } finally {
    close();
  }
}

function refusal(url: string, status: number, body: JsonObject): CliError {
  if (status === 404) {
    return new CliError(`${url} accepts no tokens of workloads`, {
      exitCode: exitCodes.refused,
      next: 'set auth.workloadIdentity in its configuration file',
    });
  }
  const why = escapeControlCharacters(textAt(body, 'error_description')) || `it responded with ${status}`;
  return new CliError(`${url} did not accept the token of this workload: ${why}`, { exitCode: exitCodes.refused });
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
