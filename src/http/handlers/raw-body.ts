import { type DecodedDocument, type ExpectedKind, readDocument, undecodableBody } from '../../api/decode/document.ts';
import { checkSentDocument } from '../../api/decode/document-size.ts';
import type { GroupVersionKind } from '../../api/meta.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import { bodyFormat } from '../negotiate/body-format.ts';
import type { BodyFormat } from '../negotiate/negotiate.ts';
import { readBody } from '../wire/read-body.ts';
import { type Endpoint, supportsProtobuf } from './endpoint.ts';

/** A request body that has been received but not decoded. */
export interface RawBody {
  readonly bytes: Uint8Array;
  readonly format: BodyFormat;
}

const textual: readonly BodyFormat[] = ['json', 'yaml'];
const withProtobuf: readonly BodyFormat[] = [...textual, 'protobuf'];

/** Receives the request body. Checks its content type (415) before its size (413), as rule REQ-27 requires. */
export function readRawBody(endpoint: Endpoint, takesProtobuf = supportsProtobuf(endpoint)): MaybePromise<RawBody> {
  const { exchange, settings } = endpoint;
  const format = bodyFormat(exchange.request.headers['content-type'], takesProtobuf ? withProtobuf : textual);
  return andThen(readBody(exchange, settings.bodyLimit), (bytes) => ({ bytes, format }));
}

/**
 * Decodes a request body. Throws 400 if that fails (rule DEC-01), and 413 if it has too many members. `findings` are
 * violations of strict decoding.
 */
export function decodeRawBody(
  endpoint: Endpoint,
  sent: RawBody,
  expected: GroupVersionKind & ExpectedKind,
): DecodedDocument {
  const { protobuf } = endpoint.settings;
  if (sent.format === 'protobuf') {
    if (protobuf === undefined) throw new TypeError('received a protobuf body, but the plane has no protobuf codec');
    return checked({ value: protobuf.decode(expected, sent.bytes), findings: [] }, sent);
  }
  let document: DecodedDocument;
  try {
    document = readDocument(sent.bytes, sent.format);
  } catch (error) {
    throw undecodableBody(expected, sent.bytes, error);
  }
  return checked(document, sent);
}

function checked(document: DecodedDocument, { bytes }: RawBody): DecodedDocument {
  checkSentDocument(document.value, bytes.length);
  return document;
}
