import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { JsonObject } from '@flotilla/json';

/** The part of the package `oidc-provider` that tests use. The package has no type declarations. */
export class Provider {
  constructor(issuer: string, configuration: object);
  /** True if the provider trusts the headers of a proxy. */
  proxy: boolean;
  readonly Grant: new (properties: {
    accountId: string;
    clientId: string;
  }) => Grant;
  callback(): RequestListener;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  /** Saves the result and sends the browser back to the authorization endpoint. */
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: JsonObject): Promise<void>;
}

export interface Grant {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

interface Interaction {
  readonly uid: string;
  readonly params: JsonObject;
}

export const interactionPolicy: {
  base(): { remove(prompt: string): void };
};
