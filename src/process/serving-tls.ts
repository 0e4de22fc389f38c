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
  /** The operator's own; undefined: the process makes one. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Names besides those that follow from the other two. */
  readonly tlsSan: readonly string[];
  readonly listen: { readonly host: string };
  readonly externalUrl: string | undefined;
}

export interface ServingTls {
  readonly pair: CertificatePair;
  /** What kubeconfigs name; undefined: clients trust it by their operating system. */
  readonly authority: string | undefined;
  /** Follows renewals and replaced files. Returns how to stop. */
  follow(onChange: (pair: CertificatePair) => void): () => void;
}

/** The operator's own certificate, or one of the installation's own authority. */
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
        first: pair,
        load,
        everyMilliseconds: tls === undefined ? renewalInterval : ownCertificateInterval,
        onChange,
      }),
  };
}

/** The authority goes along with the certificate: who meets this server for the first time can look at it, and keep it. */
function withAuthority(pair: CertificatePair, authority: CertificatePair): CertificatePair {
  return { ...pair, cert: `${pair.cert.trimEnd()}\n${authority.cert}` };
}

/** Without the brackets that IPv6 addresses have in URLs. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}
