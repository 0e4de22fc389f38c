import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, textAt } from '@flotilla/json';
import { decodeJwt, type JWTPayload } from 'jose';
import { expect } from 'vitest';
import { freePorts } from '../../../test/harness/start-program.mjs';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { Browser, type BrowserResponse } from '../auth/browser.fixture.ts';
import { type ParsedResponse, ServerTestEnv } from '../server.fixture.ts';
import type { FlagValues } from '../settings/flags.ts';
import type { RunningServer } from '../start-server.ts';

export const redirectUri = 'https://grafana.test/login/generic_oauth';
export const signedOutUri = 'https://grafana.test/signed-out';
export const publicRedirectUri = 'http://localhost:8085/auth/callback';
export const password = 'correct horse battery';

/** A secret that no real app has. */
export const grafanaSecret = 'grafana-secret-for-tests-only-0123456789';
const argoSecret = 'argo-secret-for-tests-only-0123456789abc';

export interface TokenResponse extends ParsedResponse {
  readonly idToken: JWTPayload;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** A server with the apps `grafana`, `argocd` (only for the team `platform`) and `cli` (public), and the user anna. */
export class ProviderTestEnv {
  readonly bench: ServerTestEnv;
  readonly server: RunningServer;
  browser: Browser;

  constructor(bench: ServerTestEnv, server: RunningServer) {
    this.bench = bench;
    this.server = server;
    this.browser = new Browser(bench, server);
  }

  static async open(clock: Clock = systemClock): Promise<ProviderTestEnv> {
    const bench = await ServerTestEnv.open();
    const env = new ProviderTestEnv(bench, await bench.start(await providerFlags(bench), clock));
    await env.createAnna();
    return env;
  }

  async createAnna(): Promise<void> {
    await this.bench.createObject(this.server, 'users', 'anna', {
      password,
      displayName: 'Anna Able',
      email: 'anna@acme.test',
    });
  }

  get issuer(): string {
    return `${this.server.url}/oidc`;
  }

  close(): Promise<void> {
    return this.bench.close();
  }

  async signIn(): Promise<void> {
    await this.browser.signIn({ username: 'anna', password });
  }

  /** Creates a team with these members, or changes its members. */
  async setTeam(name: string, users: readonly string[]): Promise<void> {
    const { server, bench } = this;
    const path = `/kubernetes/management/apis/management.platform.sh/v1/teams`;
    const found = await bench.send(server, `${path}/${name}`);
    if (found.code === 404) await bench.createObject(server, 'teams', name, { users: [...users] });
    else {
      const body = { spec: { users: [...users] } };
      const type = 'application/merge-patch+json';
      const patched = await bench.send(server, `${path}/${name}`, { method: 'PATCH', type, body });
      expect(patched.code, patched.text).toBe(200);
    }
  }

  /** Sends a request without any credential, as the browser of a user or an app does. */
  async get(path: string, headers: Record<string, string> = {}): Promise<BrowserResponse> {
    return await this.#read(path, { token: '' }, headers);
  }

  async post(path: string, form: Record<string, string> | string, headers: Record<string, string> = {}) {
    const raw = typeof form === 'string' ? form : new URLSearchParams(form).toString();
    const type = 'application/x-www-form-urlencoded';
    return await this.#read(path, { token: '', method: 'POST', raw, type }, headers);
  }

  async #read(
    path: string,
    call: Parameters<ServerTestEnv['request']>[2],
    sent: Record<string, string>,
  ): Promise<BrowserResponse> {
    const { statusCode, headers, body } = await this.bench.request(this.server, path, call, sent);
    const text = await body.text();
    const isJson = String(headers['content-type']).startsWith('application/json');
    return { code: statusCode, text, json: isJson ? JSON.parse(text) : {}, headers };
  }

  /** Answers an authorization request at the console. */
  async consent(request: AuthorizationParameters, decision = 'allow'): Promise<BrowserResponse> {
    const raw = new URLSearchParams({ request: queryOf(request), decision }).toString();
    const type = 'application/x-www-form-urlencoded';
    return await this.browser.send('/oidc/consent', { method: 'POST', raw, type });
  }

  /** Approves an authorization request. Returns the parameters with which the browser returns to the app. */
  async approve(request: AuthorizationParameters): Promise<URLSearchParams> {
    const answer = await this.consent(request);
    expect(answer.code, answer.text).toBe(200);
    return new URL(textAt(answer.json, 'location')).searchParams;
  }

  /** Approves a request of Grafana and exchanges the code. */
  async signInToGrafana(scope = allScopes): Promise<TokenResponse> {
    const proof = newProof();
    const returned = await this.approve(grafanaRequest(proof, { scope }));
    const tokens = await this.exchange(returned.get('code') ?? '', proof.verifier);
    expect(tokens.code, tokens.text).toBe(200);
    return tokens;
  }

  async exchange(code: string, verifier: string, changes: Record<string, string> = {}): Promise<TokenResponse> {
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
    return await this.token({ ...form, ...changes });
  }

  async refresh(refreshToken: string, changes: Record<string, string> = {}): Promise<TokenResponse> {
    return await this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });
  }

  /** Sends a token request of Grafana. */
  async token(form: Record<string, string>): Promise<TokenResponse> {
    const client = 'client_id' in form ? {} : { client_id: 'grafana', client_secret: grafanaSecret };
    const answer = await this.post('/oidc/token', { ...client, ...form });
    const idToken = textAt(answer.json, 'id_token');
    return {
      ...answer,
      idToken: idToken === '' ? {} : decodeJwt(idToken),
      accessToken: textAt(answer.json, 'access_token'),
      refreshToken: textAt(answer.json, 'refresh_token'),
    };
  }

  async userinfo(accessToken: string): Promise<BrowserResponse> {
    return await this.get('/oidc/userinfo', { authorization: `Bearer ${accessToken}` });
  }

  async sessions(): Promise<JsonObject[]> {
    const { json } = await this.bench.send(
      this.server,
      '/kubernetes/management/apis/management.platform.sh/v1/accesskeys?fieldSelector=spec.type%3DOIDCRefreshToken',
    );
    return json.items as JsonObject[];
  }
}

/** Returns the flags of a server with the apps of the tests. */
export async function providerFlags(bench: ServerTestEnv): Promise<FlagValues> {
  const file = async (name: string, secret: string) => {
    await writeFile(join(bench.root, name), `${secret}\n`);
    return join(bench.root, name);
  };
  const clients = [
    {
      id: 'grafana',
      name: 'Grafana',
      secretFile: await file('grafana.secret', grafanaSecret),
      redirectUris: [redirectUri, 'https://grafana.test/other?tenant=1'],
      postLogoutRedirectUris: [signedOutUri, 'https://grafana.test/out?tenant=1'],
      tokenTTL: 600,
      refreshTTL: 3600,
    },
    {
      id: 'argocd',
      secretFile: await file('argocd.secret', argoSecret),
      redirectUris: ['https://argocd.test/auth/callback'],
      postLogoutRedirectUris: ['https://argocd.test/signed-out'],
      allowedTeams: ['platform'],
    },
    { id: 'cli', redirectUris: [publicRedirectUri] },
  ];
  const settings = await bench.settings({ auth: { oidcProvider: { enabled: true, clients } } });
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  return { ...settings, listen: address, 'external-url': `https://${address}` };
}

export const allScopes = 'openid profile email groups offline_access';

export type AuthorizationParameters = Readonly<Record<string, string>>;

export function queryOf(request: AuthorizationParameters): string {
  return new URLSearchParams(request).toString();
}

/** A code verifier and its challenge (RFC 7636). */
export function newProof(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export function grafanaRequest(
  { challenge }: { readonly challenge: string },
  changes: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    client_id: 'grafana',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: allScopes,
    state: 'state-1',
    nonce: 'nonce-1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changes,
  };
}
