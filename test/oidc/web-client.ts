import { Agent, request } from 'undici';

/** A page or another final response of a visit. */
export interface WebPage {
  readonly url: URL;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface VisitOptions {
  readonly method?: 'GET' | 'POST';
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Selects the URLs at which a visit stops: the client does not follow a redirect to such a URL, and returns the
   * redirect response.
   */
  readonly stopAt?: (url: URL) => boolean;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly path: string;
  readonly secure: boolean;
}

/** A redirect chain that is longer than this is a loop. */
const maxRedirects = 20;

/**
 * A minimal browser that renders no pages: it keeps cookies, follows redirects and submits forms. As in browsers,
 * cookies belong to a host name and not to a port. Unlike browsers, it ignores the `SameSite` attribute of cookies.
 */
export class WebClient {
  readonly #agent: Agent;
  #cookies: Cookie[] = [];

  /** @param ca the trusted certificates, in PEM format */
  constructor(ca: readonly string[] = []) {
    // Disables the host name check, because tests send other names of a server in the Host header and undici would
    // compare them with the certificate.
    this.#agent = new Agent({ connect: { ca: [...ca], checkServerIdentity: () => undefined } });
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  /** Returns the names of the cookies that would be sent to a URL. */
  cookieNames(url: string | URL): string[] {
    return this.#cookiesFor(new URL(url)).map(({ name }) => name);
  }

  cookie(url: string | URL, name: string): string | undefined {
    return this.#cookiesFor(new URL(url)).find((cookie) => cookie.name === name)?.value;
  }

  setCookie(url: string | URL, header: string): void {
    this.#store(new URL(url), header);
  }

  /** Requests a URL and follows redirects. */
  async visit(target: string | URL, options: VisitOptions = {}): Promise<WebPage> {
    let url = new URL(target);
    let { method = 'GET', form } = options;
    for (let step = 0; step < maxRedirects; step += 1) {
      const page = await this.#send(url, method, form, options.headers ?? {});
      const { location } = page.headers;
      if (page.status < 300 || page.status > 399 || typeof location !== 'string') return page;
      url = new URL(location, url);
      if (options.stopAt?.(url) === true) return page;
      // Browsers repeat the request with GET after 301, 302 and 303.
      method = 'GET';
      form = undefined;
    }
    throw new Error(`more than ${maxRedirects} redirects, the last one to ${url}`);
  }

  /** Submits the first form of a page with its hidden fields and the given fields. */
  submit(page: WebPage, fields: Readonly<Record<string, string>>, options: VisitOptions = {}): Promise<WebPage> {
    const form = /<form\b([^>]*)>([\s\S]*?)<\/form>/i.exec(page.text);
    if (form === null) throw new Error(`no form at ${page.url} (${page.status}): ${page.text.slice(0, 500)}`);
    const hidden = [...(form[2] ?? '').matchAll(/<input\b[^>]*>/gi)]
      .map(([input]) => ({ type: attribute(input, 'type'), name: attribute(input, 'name'), input }))
      .filter(({ type, name }) => type === 'hidden' && name !== undefined)
      .map(({ name, input }) => [name, attribute(input, 'value') ?? '']);
    const action = new URL(attribute(form[1] ?? '', 'action') ?? page.url.href, page.url);
    return this.visit(action, { ...options, method: 'POST', form: { ...Object.fromEntries(hidden), ...fields } });
  }

  async #send(
    url: URL,
    method: 'GET' | 'POST',
    form: VisitOptions['form'],
    headers: Readonly<Record<string, string>>,
  ): Promise<WebPage> {
    const cookie = this.#cookiesFor(url)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const response = await request(url, {
      dispatcher: this.#agent,
      method,
      headers: {
        accept: 'text/html',
        ...(cookie === '' ? {} : { cookie }),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
    });
    for (const header of [response.headers['set-cookie'] ?? []].flat()) this.#store(url, header);
    return { url, status: response.statusCode, headers: response.headers, text: await response.body.text() };
  }

  #cookiesFor(url: URL): readonly Cookie[] {
    return this.#cookies.filter(
      ({ host, path, secure }) =>
        host === url.hostname &&
        (!secure || url.protocol === 'https:') &&
        (path === '/' || url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)),
    );
  }

  #store(url: URL, header: string): void {
    const [pair = '', ...parts] = header.split(';').map((part) => part.trim());
    const attributes = new Map(
      parts.map((part) => nameAndValue(part)).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const [name, value] = nameAndValue(pair);
    const cookie = {
      name,
      value,
      host: url.hostname,
      path: attributes.get('path') ?? url.pathname.replace(/\/[^/]*$/, '') ?? '/',
      secure: attributes.has('secure'),
    };
    const isHostCookie = cookie.secure && cookie.path === '/' && !attributes.has('domain');
    if (name.startsWith('__Host-') && !isHostCookie) throw new Error(`browsers refuse this cookie: ${header}`);
    this.#cookies = this.#cookies.filter(
      (each) => each.name !== name || each.path !== cookie.path || each.host !== cookie.host,
    );
    const expires = attributes.get('expires');
    const isExpired = attributes.get('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
    if (!isExpired) this.#cookies.push(cookie);
  }
}

/** Returns the URL to which a response redirects. */
export function redirectTarget(page: WebPage): URL {
  const { location } = page.headers;
  if (typeof location === 'string') return new URL(location, page.url);
  throw new Error(`expected a redirect, got ${page.status} at ${page.url}: ${page.text.slice(0, 500)}`);
}

function nameAndValue(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag);
  const value = match?.[1] ?? match?.[2];
  return value?.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
