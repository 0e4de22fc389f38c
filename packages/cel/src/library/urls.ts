import { BOOL, listOf, mapOf, opaque, STRING } from '../cel-type.ts';
import { EvaluationError } from '../meter.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import { CelOpaque, type CelValue, PlainList, PlainMap } from '../value.ts';
import { type GoUrl, parseRequestUri } from './go-url.ts';

const URL_TYPE = opaque('kubernetes.URL');

class CelUrl extends CelOpaque {
  readonly typeName = 'kubernetes.URL';
  readonly url: GoUrl;
  constructor(url: GoUrl) {
    super();
    this.url = url;
  }
  equals(other: CelOpaque): boolean {
    return other instanceof CelUrl && other.url.text === this.url.text;
  }
}

type One = readonly [CelUrl];

/** The CEL functions for URLs and their components. A URL is absolute or starts with a slash. */
export const urls: readonly Overload[] = [
  overload('url', 'string_to_url', signature([STRING], URL_TYPE), ([text]: readonly [string]) => {
    const url = parseRequestUri(text);
    if ('fault' in url) throw new EvaluationError(`URL parse error during conversion from string: ${url.fault}`);
    return new CelUrl(url);
  }),
  overload(
    'isURL',
    'is_url_string',
    signature([STRING], BOOL),
    ([text]: readonly [string]) => !('fault' in parseRequestUri(text)),
  ),
  method('getScheme', 'url_get_scheme', signature([URL_TYPE], STRING), ([{ url }]: One) => url.scheme),
  method('getHost', 'url_get_host', signature([URL_TYPE], STRING), ([{ url }]: One) => url.host),
  method('getHostname', 'url_get_hostname', signature([URL_TYPE], STRING), ([{ url }]: One) => hostname(url.host)),
  method(
    'getPort',
    'url_get_port',
    signature([URL_TYPE], STRING),
    ([{ url }]: One) => /:(\d+)$/.exec(url.host)?.[1] ?? '',
  ),
  method('getEscapedPath', 'url_get_escaped_path', signature([URL_TYPE], STRING), ([{ url }]: One) => url.escapedPath),
  method('getQuery', 'url_get_query', signature([URL_TYPE], mapOf(STRING, listOf(STRING))), ([{ url }]: One) =>
    query(url.query),
  ),
];

function hostname(host: string): string {
  const without = host.replace(/:\d*$/, '');
  return without.startsWith('[') && without.endsWith(']') ? without.slice(1, -1) : without;
}

function query(text: string): CelValue {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return PlainMap.of([...values].map(([name, all]) => [name, new PlainList(all)] as const));
}
