import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@flotilla/json';
import { eventually } from '../bad-days/eventually.ts';
import { freePorts, isProgram, type StartedProgram, startProgram, toolFolders } from '../harness/start-program.mjs';
import { redirectTarget, type WebClient } from './web-client.ts';

const program = toolFolders()
  .map((folder) => join(folder, 'dex'))
  .find((path) => isProgram(path));

/** The reason why tests with Dex cannot run; `undefined` if they can. */
export const dexMissing =
  program === undefined ? 'dex is not built (bash test/tools/build.sh <folder> clients builds it)' : undefined;

/** A person who signs in at Dex with email address and password. */
export interface DexPerson {
  readonly userID: string;
  readonly email: string;
  readonly password: string;
  /** The value of the claim `name`. */
  readonly username: string;
  readonly preferredUsername?: string;
  readonly emailVerified?: boolean;
  readonly groups?: readonly string[];
}

/** Dex as a separate process, with storage in memory. A test can change people and redirect URIs at any time. */
export class DexFixture {
  readonly clientId = 'flotilla';
  readonly clientSecret = randomBytes(16).toString('hex');
  readonly clientSecretFile: string;
  readonly issuer: string;
  readonly #folder: string;
  readonly #port: number;
  #people: readonly DexPerson[] = [];
  #redirectUris: readonly string[] = [];
  #running: StartedProgram | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.issuer = `http://127.0.0.1:${port}/dex`;
    this.clientSecretFile = join(folder, 'client-secret');
  }

  static async start(people: readonly DexPerson[]): Promise<DexFixture> {
    const [port = 0] = await freePorts(1);
    const fixture = new DexFixture(await mkdtemp(join(tmpdir(), 'dex-')), port);
    await writeFile(fixture.clientSecretFile, fixture.clientSecret);
    fixture.#people = people;
    await fixture.up();
    return fixture;
  }

  async close(): Promise<void> {
    await this.down();
    await rm(this.#folder, { recursive: true });
  }

  async up(): Promise<void> {
    await this.#writeSettings();
    const running = startProgram(program ?? 'dex', [this.#settingsFile], this.#folder);
    this.#running = running;
    await eventually(
      30,
      () => this.#printed('serving'),
      (lines) => lines === 1,
    );
  }

  /** Ends the process. Its storage is lost. */
  async down(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  async setPeople(people: readonly DexPerson[]): Promise<void> {
    this.#people = people;
    await this.#readAgain();
  }

  async allowRedirects(redirectUris: readonly string[]): Promise<void> {
    this.#redirectUris = redirectUris;
    await this.#readAgain();
  }

  /** The settings of a connector to this provider (`auth.oidc[]`). */
  connector(name: string, settings: JsonObject = {}): JsonObject {
    return {
      name,
      issuer: this.issuer,
      clientId: this.clientId,
      clientSecretFile: this.clientSecretFile,
      scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
      ...settings,
    };
  }

  /**
   * Starts at a page that redirects to Dex, and signs in on Dex's login page. Returns the URL to which Dex redirects
   * the browser, without requesting it.
   */
  async signIn(client: WebClient, start: string | URL, email: string, password: string): Promise<URL> {
    const stopAt = (url: URL) => url.origin !== new URL(this.issuer).origin && url.searchParams.has('state');
    const page = await client.visit(start, { stopAt: (url) => stopAt(url) && url.searchParams.has('code') });
    return redirectTarget(await client.submit(page, { login: email, password }, { stopAt }));
  }

  get #settingsFile(): string {
    return join(this.#folder, 'dex.json');
  }

  #writeSettings(): Promise<void> {
    const client = { id: this.clientId, secret: this.clientSecret, name: 'Flotilla', redirectURIs: this.#redirectUris };
    const listen = `127.0.0.1:${this.#port}`;
    const settings = { listen, issuer: this.issuer, clients: [client], people: this.#people };
    return writeFile(this.#settingsFile, JSON.stringify(settings));
  }

  async #readAgain(): Promise<void> {
    const before = this.#printed('read again');
    await this.#writeSettings();
    if (this.#running === undefined) return;
    process.kill(this.#running.pid, 'SIGHUP');
    await eventually(
      10,
      () => this.#printed('read again'),
      (lines) => lines > before,
    );
  }

  #printed(line: string): number {
    this.#running?.failIfEnded();
    return (
      this.#running
        ?.output()
        .split('\n')
        .filter((each) => each === line).length ?? 0
    );
  }
}
