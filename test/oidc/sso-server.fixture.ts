import { type JsonObject, listAt, textAt } from '@flotilla/json';
import type { Clock } from '../../src/lib/clock.ts';
import { cookieName } from '../../src/server/auth/browser.fixture.ts';
import { groupPath, type ParsedResponse, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { redirectTarget, WebClient, type WebPage } from './web-client.ts';

export interface SsoServerOptions {
  /** Additional settings of the configuration file. */
  readonly settings?: JsonObject;
  /** The listen address. Default: a free port. */
  readonly listen?: string;
  readonly clock?: Clock;
}

/** A server with connectors, and the browsers of people who sign in there. */
export class SsoServer {
  readonly env: ServerTestEnv;
  readonly server: RunningServer;
  readonly #ca: string;
  readonly #browsers: WebClient[] = [];

  private constructor(env: ServerTestEnv, server: RunningServer, ca: string) {
    this.env = env;
    this.server = server;
    this.#ca = ca;
  }

  /** Starts a server with these entries of `auth.oidc`. */
  static async start(oidc: readonly JsonObject[], options: SsoServerOptions = {}): Promise<SsoServer> {
    const { settings = {}, listen, clock } = options;
    const env = await ServerTestEnv.open();
    const flags = await env.settings({ ...settings, auth: { oidc: [...oidc] } });
    const server = await env.start({ ...flags, ...(listen === undefined ? {} : { listen }) }, clock);
    return await SsoServer.of(env, server);
  }

  /** Creates the fixture for a running server. `close` also closes `env`. */
  static async of(env: ServerTestEnv, server: RunningServer): Promise<SsoServer> {
    return new SsoServer(env, server, await env.read('ca.crt'));
  }

  async close(): Promise<void> {
    await Promise.all(this.#browsers.map((browser) => browser.close()));
    await this.env.close();
  }

  browser(): WebClient {
    const browser = new WebClient([this.#ca]);
    this.#browsers.push(browser);
    return browser;
  }

  loginUrl(connector: string, query = ''): string {
    return `${this.server.url}/auth/oidc/${connector}/login${query}`;
  }

  callbackUrl(connector: string): string {
    return `${this.server.url}/auth/oidc/${connector}/callback`;
  }

  /** Requests the URL to which the provider redirected the browser. Does not follow the redirect of the response. */
  finish(browser: WebClient, callback: URL): Promise<WebPage> {
    return browser.visit(callback, { stopAt: () => true });
  }

  /** Returns the problem that the sign-in page shows after this response; `undefined` if the sign-in succeeded. */
  problemOf(page: WebPage): string | undefined {
    const target = redirectTarget(page);
    return target.pathname === '/sign-in' ? (target.searchParams.get('problem') ?? '') : undefined;
  }

  /** Returns the access key of the browser's session; '' if the browser has no session. */
  keyOf(browser: WebClient): string {
    return browser.cookie(this.server.url, cookieName) ?? '';
  }

  /** Returns the user of the browser's session as the server reports it. */
  async whoami(
    browser: WebClient,
  ): Promise<{ readonly code: number; readonly name: string; readonly groups: string[] }> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/kubernetes/management/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { code, json } = await this.send(path, browser, 'POST', body);
    const groups = listAt(json, 'status', 'userInfo', 'groups').map(String);
    return { code, name: textAt(json, 'status', 'userInfo', 'username'), groups };
  }

  /** Sends a request with the access key of the browser's session. */
  send(path: string, browser: WebClient, method: 'GET' | 'POST' = 'GET', body?: JsonObject): Promise<ParsedResponse> {
    const call = { method, token: this.keyOf(browser), ...(body === undefined ? {} : { body }) };
    return this.env.send(this.server, path, call);
  }

  async user(name: string): Promise<JsonObject> {
    return (await this.env.send(this.server, `${groupPath}/users/${name}`)).json;
  }
}
