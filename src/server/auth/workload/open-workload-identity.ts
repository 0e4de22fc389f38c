import { sourceNetworkOf } from '../../../auth/login-backoff.ts';
import { type ClaimRule, compileClaimRule } from '../../../auth/workload/claim-rules.ts';
import { IssuerKeys } from '../../../auth/workload/issuer-keys.ts';
import type { WorkloadIssuer } from '../../../auth/workload/workload-issuer.ts';
import type { Filter, Handler } from '../../../http/exchange.ts';
import { FairSlots } from '../../../http/limits/fair-slots.ts';
import { endOfSignal } from '../../../http/request/request-end.ts';
import type { CloseStack } from '../../../process/close-stack.ts';
import { type TokenHandlerOptions, tokenHandler } from './token-handler.ts';
import { WorkloadKeys, type WorkloadKeysOptions } from './workload-keys.ts';

export interface WorkloadIdentityOptions
  extends WorkloadKeysOptions,
    Pick<TokenHandlerOptions, 'backoff' | 'freshness' | 'externalUrl' | 'log'> {
  readonly issuers: readonly WorkloadIssuer[];
  readonly closing: CloseStack;
}

/** Limits for concurrent token exchanges. An exchange takes milliseconds, unless it waits for the keys of an issuer. */
const slotOptions = { slots: 16, maxWaiting: 100, waitMilliseconds: 10_000 };

/** Returns a function that creates the handler of `/auth/token`; `undefined` if no issuer is trusted. */
export function openWorkloadIdentity(options: WorkloadIdentityOptions): ((audited: Filter) => Handler) | undefined {
  const { issuers, clock } = options;
  if (issuers.length === 0) return undefined;
  const closing = new AbortController();
  options.closing.add('workload issuers', () => closing.abort());
  const slots = new FairSlots({ ...slotOptions, clock });
  const handlerOptions: TokenHandlerOptions = {
    ...options,
    keys: new WorkloadKeys(options),
    issuers: new Map(
      issuers.map((settings) => [
        settings.issuer,
        { settings, keys: new IssuerKeys(settings, clock, closing.signal), rules: compileOnce(settings) },
      ]),
    ),
    acquireSlot: (source, signal) => slots.acquire(sourceNetworkOf(source), endOfSignal(signal)),
  };
  return (audited) => tokenHandler(handlerOptions, audited);
}

function compileOnce({ rules }: WorkloadIssuer): () => Promise<readonly ClaimRule[]> {
  let compiled: Promise<readonly ClaimRule[]> | undefined;
  return () => {
    compiled ??= Promise.all(rules.map(compileClaimRule)).then((results) =>
      // This filter drops no rules, because invalid rules are already rejected when the settings are read.
      results.filter((result) => 'program' in result),
    );
    return compiled;
  };
}
