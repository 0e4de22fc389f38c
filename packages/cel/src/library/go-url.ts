/** The components of a URL, as Go's net/url names them. */
export interface GoUrl {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly escapedPath: string;
  readonly query: string;
}

/** Parses an absolute URL or an absolute path, like Go's `url.ParseRequestURI`. `fault` is Go's error message. */
export function parseRequestUri(text: string): GoUrl | { readonly fault: string } {
  const quoted = JSON.stringify(text);
  const refused = (why: string): { readonly fault: string } => ({ fault: `parse ${quoted}: ${why}` });
  if (text === '') return refused('empty url');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused here.
  if (/[\x00-\x1f\x7f]/.test(text)) return refused('net/url: invalid control character in URL');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? '';
  if (scheme === '' && text.startsWith(':')) return refused('missing protocol scheme');
  const rest = scheme === '' ? text : text.slice(scheme.length + 1);
  if (!rest.startsWith('/')) {
    if (scheme === '') return refused('invalid URI for request');
    const opaque = /^[^?#]*/.exec(rest)?.[0] ?? '';
    if (opaque === '' && !rest.startsWith('?')) return refused('invalid URI for request');
    return { text, scheme: scheme.toLowerCase(), host: '', escapedPath: '', query: queryOf(rest) };
  }
  const authority =
    rest.startsWith('//') && !(scheme === '' && rest.startsWith('///'))
      ? (/^\/\/([^/?#]*)/.exec(rest)?.[1] ?? '')
      : undefined;
  const host = authority === undefined ? '' : authority.slice(authority.lastIndexOf('@') + 1);
  const bad = hostFault(host);
  if (bad !== undefined) return refused(bad);
  const path = /^[^?#]*/.exec(authority === undefined ? rest : rest.slice(authority.length + 2))?.[0] ?? '';
  const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)?.[0];
  if (badEscape !== undefined) return refused(`invalid URL escape ${JSON.stringify(badEscape)}`);
  return { text, scheme: scheme.toLowerCase(), host, escapedPath: escaped(path), query: queryOf(rest) };
}

function queryOf(rest: string): string {
  return /^[^?#]*\?([^#]*)/.exec(rest)?.[1] ?? '';
}

function hostFault(host: string): string | undefined {
  if (host.startsWith('[')) {
    if (!host.includes(']')) return "missing ']' in host";
    const port = host.slice(host.lastIndexOf(']') + 1);
    return /^(:\d*)?$/.test(port) ? undefined : `invalid port ${JSON.stringify(port)} after host`;
  }
  const colon = host.lastIndexOf(':');
  if (colon >= 0 && !/^:\d*$/.test(host.slice(colon))) {
    return `invalid port ${JSON.stringify(host.slice(colon))} after host`;
  }
  const bad = /[ "<>\\^`{|}]/.exec(host)?.[0];
  return bad === undefined ? undefined : `invalid character ${JSON.stringify(bad)} in host name`;
}

/** Escapes a URL path. Existing percent escapes are kept. */
function escaped(path: string): string {
  return encodeURI(path.toWellFormed())
    .replace(/%25([0-9A-Fa-f]{2})/g, '%$1')
    .replaceAll('[', '%5B')
    .replaceAll(']', '%5D');
}
