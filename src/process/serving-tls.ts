import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import {
  certificateRenewalCheckMilliseconds,
  customCertificateReloadMilliseconds,
  keepCertificate,
} from './certificate-keeper.ts';
import {
  type CertificateFiles,
  type CertificatePair,
  caCertificateOf,
  ensureServingCertificate,
  readCustomCertificate,
  servingNames,
} from './certificates.ts';

export interface ServingTlsSettings {
  /** The certificate files of the operator. If `undefined`, the process creates a certificate itself. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Additional names for the certificate that the process creates. */
  readonly tlsSan: readonly string[];
  readonly listen: { readonly host: string };
  readonly externalUrl: string | undefined;
}

export interface ServingTls {
  readonly pair: CertificatePair;
  /** The CA certificate for kubeconfigs; `undefined` if clients are expected to trust the CA already. */
  readonly authority: string | undefined;
  /** Calls `onChange` when the certificate has been renewed or replaced. Returns a function that ends these calls. */
  follow(onChange: (pair: CertificatePair) => void): () => void;
}

export interface ServingTlsOptions {
  readonly dir: CertificateFiles;
  readonly settings: ServingTlsSettings;
  /** The installation's own certificate authority. */
  readonly authority: CertificatePair;
  readonly clock: Clock;
  readonly log: Log;
}

/** Loads the operator's certificate, or creates one that the installation's own authority signs. */
export async function loadServingTls(options: ServingTlsOptions): Promise<ServingTls> {
  const { dir, settings, authority, clock, log } = options;
  const { tls } = settings;
  const external = settings.externalUrl === undefined ? [] : [hostOf(settings.externalUrl)];
  const names = servingNames([settings.listen.host, ...external, ...settings.tlsSan]);
  const load =
    tls === undefined
      ? async () => withAuthority(await ensureServingCertificate(dir, authority, names, clock), authority)
      : () => readCustomCertificate(tls.certFile, tls.keyFile);
  const pair = await load();
  return {
    pair,
    authority: tls === undefined ? authority.cert : caCertificateOf(pair.cert),
    follow: (onChange) =>
      keepCertificate({
        clock,
        log,
        initial: pair,
        load,
        intervalMilliseconds:
          tls === undefined ? certificateRenewalCheckMilliseconds : customCertificateReloadMilliseconds,
        onChange,
      }),
  };
}

/**
 * Appends the CA certificate to the chain, so that a client can show and store the CA certificate when it connects for
 * the first time.
 */
function withAuthority(pair: CertificatePair, authority: CertificatePair): CertificatePair {
  return { ...pair, cert: `${pair.cert.trimEnd()}\n${authority.cert}` };
}

/** Returns the host name of a URL. An IPv6 address loses the brackets that it has in URLs. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}
