import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { keepCertificate, ownCertificateInterval, renewalInterval } from './certificate-keeper.ts';
import {
  authorityOf,
  type CertificateFiles,
  type CertificatePair,
  ensureAuthority,
  ensureServingCertificate,
  readOwnCertificate,
  servingNames,
} from './certificates.ts';

export interface ServingTlsSettings {
  /** The operator's own certificate. If `undefined`, the process creates one. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Additional names of the certificate. */
  readonly tlsSan: readonly string[];
  readonly listen: { readonly host: string };
  readonly externalUrl: string | undefined;
}

export interface ServingTls {
  readonly pair: CertificatePair;
  /** The CA certificate for kubeconfigs. `undefined` if clients trust the server through their operating system. */
  readonly authority: string | undefined;
  /** Reports renewed and replaced certificates. Returns a function that stops it. */
  follow(onChange: (pair: CertificatePair) => void): () => void;
}

/** Loads the operator's own certificate, or one that the installation's own authority issued. */
export async function loadServingTls(
  dir: CertificateFiles,
  settings: ServingTlsSettings,
  clock: Clock,
  log: Log,
): Promise<ServingTls> {
  const authority = await ensureAuthority(dir, clock);
  const { tls } = settings;
  const external = settings.externalUrl === undefined ? [] : [hostOf(settings.externalUrl)];
  const names = servingNames([settings.listen.host, ...external, ...settings.tlsSan]);
  const load =
    tls === undefined
      ? async () => withAuthority(await ensureServingCertificate(dir, authority, names, clock), authority)
      : () => readOwnCertificate(tls.certFile, tls.keyFile);
  const pair = await load();
  return {
    pair,
    authority: tls === undefined ? authority.cert : authorityOf(pair.cert),
    follow: (onChange) =>
      keepCertificate({
        clock,
        log,
        initial: pair,
        load,
        intervalMilliseconds: tls === undefined ? renewalInterval : ownCertificateInterval,
        onChange,
      }),
  };
}

/** Appends the CA certificate to the chain, so that a client can inspect and store it on first contact. */
function withAuthority(pair: CertificatePair, authority: CertificatePair): CertificatePair {
  return { ...pair, cert: `${pair.cert.trimEnd()}\n${authority.cert}` };
}

/** Without the brackets of IPv6 addresses in URLs. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}
