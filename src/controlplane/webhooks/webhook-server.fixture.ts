import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getMember, isJsonObject, type JsonObject, parseJson } from '@flotilla/json';
import { selfSigned } from '../../../test/harness/self-signed.ts';

/** Returns the members of the response to a review, or writes another response itself and returns nothing. */
export type AnswerReview = (request: JsonObject, response: ServerResponse) => JsonObject | undefined;

/** A webhook on 127.0.0.1. */
export class WebhookTestServer {
  readonly seen: JsonObject[] = [];
  readonly caBundle: string;
  readonly #server: Server;
  answer: AnswerReview;

  private constructor(answer: AnswerReview, pair: { readonly cert: string; readonly key: string }) {
    this.answer = answer;
    this.caBundle = Buffer.from(pair.cert).toString('base64');
    this.#server = createServer(pair, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.#respond(Buffer.concat(chunks).toString(), response));
    });
  }

  static async start(answer: AnswerReview): Promise<WebhookTestServer> {
    const started = new WebhookTestServer(answer, await selfSigned());
    await new Promise<void>((resolve) => started.#server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}/review`;
  }

  #respond(body: string, response: ServerResponse): void {
    const { value } = parseJson(body === '' ? '{}' : body);
    const request = isJsonObject(value) ? getMember(value, 'request') : undefined;
    const asked = isJsonObject(request) ? request : {};
    this.seen.push(asked);
    const members = this.answer(asked, response);
    if (members === undefined) return;
    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: asked.uid, ...members },
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(review));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
