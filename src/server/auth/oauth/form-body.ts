import type { Exchange } from '../../../http/exchange.ts';
import { readBody } from '../../../http/wire/read-body.ts';
import { invalidRequest } from './oauth-error.ts';

const defaultMaxBytes = 16 * 1024;

/** Reads the parameters of a form. Throws OAuthError if the body is not a form. */
export async function readForm(exchange: Exchange, maxBytes: number = defaultMaxBytes): Promise<URLSearchParams> {
  const [type = ''] = (exchange.request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw invalidRequest('the content type must be application/x-www-form-urlencoded');
  const bytes = await readBody(exchange, maxBytes);
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/** Reads the parameters of a form. Throws OAuthError if a parameter is set twice. */
export async function readDistinctForm(exchange: Exchange): Promise<ReadonlyMap<string, string>> {
  const form = await readForm(exchange);
  const values = new Map<string, string>();
  for (const [name, value] of form) {
    if (values.has(name)) throw invalidRequest('a parameter is set twice');
    values.set(name, value);
  }
  return values;
}
