import { readFile } from 'node:fs/promises';
import { errorCode } from '../../../lib/private-file.ts';
import { CliError, exitCodes } from '../../cli-error.ts';
import type { Environment } from '../../environment.ts';
import { httpsFetch } from '../https-fetch.ts';

/** The source of a workload's token. It is saved with the login, so that later commands can renew the access key. */
export interface TokenSource {
  /**
   * A file with the token. The platform replaces the token before it expires, as the kubelet does for a projected
   * token.
   */
  readonly tokenFile?: string;
  /** The audience to request. Used only if the platform lets the workload choose the audience of its token. */
  readonly audience: string;
}

/** The names of the variables of GitHub Actions. They are set for a job with the permission `id-token: write`. */
const githubUrl = 'ACTIONS_ID_TOKEN_REQUEST_URL';
const githubToken = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN';
/** The name of the variable that contains the token in a job of GitLab or of another CI system. */
const tokenVariable = 'FLOTILLA_ID_TOKEN';

const timeoutMilliseconds = 15_000;

/**
 * Returns the token with which the platform identifies this workload: from a file, from a variable, or from GitHub
 * Actions. Error messages never contain the token.
 */
export async function ambientToken({ tokenFile, audience }: TokenSource, environment: Environment): Promise<string> {
  if (tokenFile !== undefined) return await tokenIn(tokenFile);
  const given = environment[tokenVariable]?.trim() ?? '';
  if (given !== '') return given;
  const [url, bearer] = [environment[githubUrl] ?? '', environment[githubToken] ?? ''];
  if (url !== '' && bearer !== '') return await githubIdToken(url, bearer, { audience, environment });
  throw new CliError('this workload has no token', {
    exitCode: exitCodes.refused,
    next: `on GitHub, give the job the permission "id-token: write"; on GitLab, define ${tokenVariable} under "id_tokens"; elsewhere, pass --token-file`,
  });
}

async function tokenIn(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errorCode(error)})`;
    throw new CliError(`the token file ${file} ${why}`, { cause: error });
  }
  const token = text.trim();
  if (token === '') throw new CliError(`the token file ${file} is empty`);
  return token;
}

interface GithubRequest {
  readonly audience: string;
  readonly environment: Environment;
}

async function githubIdToken(address: string, bearer: string, request: GithubRequest): Promise<string> {
  const unusable = (why: string, cause?: unknown) =>
    new CliError(`GitHub Actions issued no token: ${why}`, { exitCode: exitCodes.refused, cause });
  if (!URL.canParse(address) || !address.startsWith('https://')) throw unusable(`${githubUrl} is not an https:// URL`);
  const url = new URL(address);
  url.searchParams.set('audience', request.audience);
  const { environment } = request;
  const { fetch, close } = httpsFetch({ url: url.origin, authority: undefined, environment, warn() {} });
  try {
    const response = await fetch(url.href, {
      method: 'GET',
      headers: { Accept: 'application/json', Authorization: `Bearer ${bearer}` },
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    const text = await response.text();
    if (response.status !== 200) throw unusable(`its server responded with ${response.status}`);
    const token = tokenInResponse(text);
    if (token === undefined) throw unusable('its response contains none');
    return token;
  } finally {
    close();
  }
}

function tokenInResponse(text: string): string | undefined {
  try {
    const { value } = JSON.parse(text) as { value?: unknown };
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch {
    return undefined;
  }
}
