import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import * as grpc from '@grpc/grpc-js';
import type { EtcdCredentials, EtcdEndpoint } from './endpoints.ts';
import { EtcdError, grpcStatus } from './etcd-error.ts';
import { asBuffer, type EtcdMethod, watchPath } from './methods.ts';
import { decodeWatchResponse, encodeWatchRequest, type WatchRequest, type WatchResponse } from './watch-messages.ts';

/** Receives the responses of a watch. */
export interface WatchListener {
  response(response: WatchResponse): void;
  /** Called once, after the last response, if the stream ends before a call of `close`. */
  failed(error: EtcdError): void;
}

/** An open watch. */
export interface WatchStream {
  close(): void;
}

const channelOptions: grpc.ChannelOptions = {
  // No limit, because a response with a large list or many events exceeds the default of 4 MiB.
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // With the default of 64 KiB, a burst of events blocks the watch, and etcd continues a blocked watch only every 100
  // ms.
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
  // Detects a member that is paused or unreachable. etcd rejects pings that are more frequent than every five seconds.
  'grpc.keepalive_time_ms': 6_000,
  'grpc.keepalive_timeout_ms': 3_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  // The client itself decides which calls it retries.
  'grpc.enable_retries': 0,
  'grpc.use_local_subchannel_pool': 1,
  // Requests to etcd contain credentials, so they must not be sent to the proxy of the environment.
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  // Disabled, because the statistics of calls are not used.
  'grpc.enable_channelz': 0,
};

/** The connection to one member of etcd. It is established with the first call, and again after it was lost. */
export class MemberConnection {
  readonly url: string;
  readonly #client: grpc.Client;

  constructor(endpoint: EtcdEndpoint, { ca, clientCertificate }: EtcdCredentials) {
    this.url = endpoint.url;
    const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host;
    const { key = null, cert = null } = clientCertificate ?? {};
    const identity = identityOptions(endpoint.host);
    const credentials = endpoint.secure
      ? grpc.credentials.createSsl(ca ?? null, key, cert, identity.verification)
      : grpc.credentials.createInsecure();
    this.#client = new grpc.Client(`${host}:${endpoint.port}`, credentials, { ...channelOptions, ...identity.channel });
  }

  /** Calls a method. Rejects with EtcdError, at the latest after `milliseconds`. */
  call<Request, Response>(
    method: EtcdMethod<Request, Response>,
    request: Request,
    { token, milliseconds }: { readonly token: string | undefined; readonly milliseconds: number },
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      const { path, encode, decode } = method;
      const options = { deadline: Date.now() + milliseconds };
      this.#client.makeUnaryRequest(path, encode, decode, request, metadataOf(token), options, (error, response) => {
        if (error !== null) reject(new EtcdError(error.code, error.details, { cause: error }));
        else if (response === undefined) reject(new EtcdError(grpcStatus.internal, 'the response is empty'));
        else resolve(response);
      });
    });
  }

  /** Opens a stream with one watch. */
  watch(request: WatchRequest, token: string | undefined, listener: WatchListener): WatchStream {
    const identity = (bytes: Uint8Array) => asBuffer(bytes);
    const stream = this.#client.makeBidiStreamRequest(watchPath, identity, decodeWatchResponse, metadataOf(token));
    let isOpen = true;
    const fail = (status: number, details: string) => {
      if (!isOpen) return;
      isOpen = false;
      listener.failed(new EtcdError(status, details));
    };
    stream.on('data', (response: WatchResponse) => {
      if (isOpen) listener.response(response);
    });
    stream.on('error', (error: grpc.ServiceError) => fail(error.code, error.details));
    stream.on('end', () => fail(grpcStatus.unavailable, 'the member has ended the watch'));
    stream.write(encodeWatchRequest(request));
    return {
      close() {
        isOpen = false;
        stream.cancel();
      },
    };
  }

  close(): void {
    this.#client.close();
  }
}

interface IdentityOptions {
  readonly verification: grpc.VerifyOptions;
  readonly channel: grpc.ChannelOptions;
}

/**
 * Returns the options that verify the address of a member. TLS has no server name for IP addresses, but the gRPC
 * library would send the address as the name, which Node.js reports as deprecated (DEP0123). These options therefore
 * send a name that no server has, and compare the certificate with the address.
 */
function identityOptions(host: string): IdentityOptions {
  if (isIP(host) === 0) return { verification: {}, channel: {} };
  return {
    verification: { checkServerIdentity: (_name: string, cert: PeerCertificate) => checkServerIdentity(host, cert) },
    channel: { 'grpc.ssl_target_name_override': 'ip-address.invalid' },
  };
}

function metadataOf(token: string | undefined): grpc.Metadata {
  const metadata = new grpc.Metadata();
  // Makes a member without a leader reject the request or end the watch.
  metadata.set('hasleader', 'true');
  if (token !== undefined) metadata.set('token', token);
  return metadata;
}
