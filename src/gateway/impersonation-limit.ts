import { badRequest } from '../api/status.ts';
import type { Attributes } from '../auth/authz/attributes.ts';
import type { Exchange } from '../http/exchange.ts';

/**
 * The maximum number of names that a request may impersonate: users, groups and extra values. The target authorizes
 * each name, which takes a message to another thread or machine. The headers of a request could contain tens of
 * thousands of names.
 */
const maxImpersonatedNames = 500;

/** Counts the names that each request impersonates. */
export class ImpersonationLimit {
  readonly #counts = new WeakMap<Exchange, number>();

  /** Throws 400 if the request impersonates too many names. Called before each name is authorized. */
  check(exchange: Exchange, { verb }: Pick<Attributes, 'verb'>): void {
    if (verb !== 'impersonate') return;
    const count = (this.#counts.get(exchange) ?? 0) + 1;
    if (count > maxImpersonatedNames) {
      throw badRequest(`a request may impersonate at most ${maxImpersonatedNames} users, groups and extra values`);
    }
    this.#counts.set(exchange, count);
  }
}
