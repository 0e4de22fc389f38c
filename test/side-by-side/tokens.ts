const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/**
 * Replaces values that always differ between two servers (uids, resource versions, generated names) by tokens. A token
 * is named after the request whose response first contained the value, and the position of the value in that response.
 * Two responses are equal if they are equal after the replacement. An unchanged resource version keeps its token; a
 * changed one gets a new token.
 */
export class Tokens {
  #request = 0;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #generated = new Map<string, string>();
  #firstSeen = { uid: 0, version: 0, name: 0 };

  begin(request: number): void {
    this.#request = request;
    this.#firstSeen = { uid: 0, version: 0, name: 0 };
  }

  version(version: string): string {
    return this.#nameOf(this.#versions, 'version', version);
  }

  /** Returns the token for a name that the server generated from `metadata.generateName` in this response. */
  generated(name: string): string {
    return this.#nameOf(this.#generated, 'name', name);
  }

  text(text: string): string {
    let named = text.replaceAll(uuid, (found) => this.#nameOf(this.#uids, 'uid', found));
    for (const [name, token] of this.#generated) named = named.replaceAll(name, token);
    return named
      .replaceAll(time, '<time>')
      .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<random>')
      .replaceAll(/(resource ?version[^0-9]{0,40}?)\d+/gi, '$1<number>')
      .replaceAll(/, current: \d+/g, ', current: <number>');
  }

  #nameOf(names: Map<string, string>, what: 'uid' | 'version' | 'name', found: string): string {
    const known = names.get(found);
    if (known !== undefined) return known;
    const token = `<${what} ${this.#request}.${this.#firstSeen[what]++}>`;
    names.set(found, token);
    return token;
  }
}
