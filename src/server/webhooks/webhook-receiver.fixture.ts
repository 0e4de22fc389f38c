import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@flotilla/json';

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: JsonObject;
}

/** Answers a message. Without a call of `end`, the receiver never responds. */
export type AnswerMessage = (message: ReceivedMessage, response: ServerResponse) => void;

const accept: AnswerMessage = (_message, response) => void response.writeHead(204).end();

/** A receiver of webhooks on 127.0.0.1. */
export class WebhookReceiver {
  /** All messages, oldest first. */
  readonly received: ReceivedMessage[] = [];
  answer: AnswerMessage = accept;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const { url: path = '', headers } = request;
        const message = { path, headers, body, json: JSON.parse(body) as JsonObject };
        this.received.push(message);
        this.answer(message, response);
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook?a=b`;
  }

  /** Accepts all further messages. */
  accept(): void {
    this.answer = accept;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
