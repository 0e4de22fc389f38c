import type { JsonObject } from '@flotilla/json';
import { apiVersionOf } from '../../api/meta.ts';
import { groupResourceOf, listKindOf, type ResourceKind } from '../../api/resource.ts';
import { notAcceptable, qualifiedResource, type Status } from '../../api/status.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { ServedList, ServedObject } from '../../registry/verbs.ts';
import type { Exchange } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import {
  bufferOrGenerateBody,
  generateText,
  inChunksIfLong,
  type JoinedText,
  throwIfEnded,
} from '../wire/generated-body.ts';
import { indentJson } from './indent-json.ts';
import { listMetaJson, listText, mapLazily } from './list-json.ts';
import { mediaTypes, type NegotiatedForm } from './negotiate.ts';
import { partialMetadataJson, partialMetadataListText, protobufObject } from './partial-metadata.ts';
import type { ProtobufListWriter } from './protobuf-codec.ts';
import { renderReply } from './render.ts';
import { columnDefinitionsJson, type IncludeObject, rowJson, tableJson, tableText } from './table.ts';
import { joinForYaml } from './yaml-body.ts';

/** The negotiated form of a response. It is known before the request is executed: Accept is checked early (REQ-27). */
export interface ResponseForm extends NegotiatedForm {
  readonly kind: ResourceKind;
  readonly include: IncludeObject;
  /** True if the kind can be returned as a Table. False for kinds that are never stored, such as reviews (NEG-17). */
  readonly hasTable: boolean;
  now(): number;
  /** Encodes an object of a built-in kind, or the metadata of an object, as protobuf. */
  readonly encodeProtobuf?: ((object: JsonObject) => Uint8Array) | undefined;
  readonly startProtobufList?: ((list: JsonObject) => ProtobufListWriter) | undefined;
}

/** Throws 406 if the client requests a transform that the response does not support (rules NEG-15, NEG-17). */
export function checkTransform(form: ResponseForm, responseType: 'object' | 'list'): void {
  const wanted = form.transform?.kind;
  const resource = groupResourceOf(form.kind);
  if (wanted === 'Table' && !form.hasTable) {
    throw notAcceptable(`the resource ${qualifiedResource(resource)} does not support being converted to a Table`);
  }
  if (wanted === 'PartialObjectMetadata' && responseType === 'list') {
    throw notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (${form.kind.kind}List)`,
    );
  }
  if (wanted === 'PartialObjectMetadataList' && responseType === 'object') {
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${form.kind.kind})`,
    );
  }
}

export function objectReply(served: ServedObject, status: number, form: ResponseForm): Reply {
  const { transform } = form;
  if (form.format === 'protobuf') return protobufReply(protobufObject(served, transform), status, form);
  if (transform === undefined) return renderReply(served.json(), status, form);
  if (transform.kind !== 'Table') return renderReply(partialMetadataJson(served, transform.version), status, form);
  const options = { version: transform.version, include: form.include, now: form.now() };
  const metadata = listMetaJson({ items: [], resourceVersion: served.object.metadata.resourceVersion ?? '' });
  const row = rowJson(form.kind, served, options);
  return renderReply(tableJson(metadata, columnDefinitionsJson(form.kind), [row], options), status, form);
}

/**
 * The members of the exchange that are needed to generate a long list. Generation takes several time slices and stops
 * if the request ends.
 */
export type ListRequestState = Pick<Exchange, 'end' | 'nextTimeSlice'>;

export async function listReply(list: ServedList, form: ResponseForm, exchange: ListRequestState): Promise<Reply> {
  if (form.format === 'protobuf') return protobufListReply(list, form, exchange);
  const text = textOf(list, form);
  if (form.format === 'yaml') {
    const joined = joinForYaml(text);
    if (typeof joined === 'string') return renderReply(joined, 200, form);
    return generatedReply({ ...joined, tail: `${joined.tail}\n` }, form, exchange);
  }
  if (form.pretty && list.items.length === 0) return renderReply(`${text.head}${text.tail}`, 200, form);
  return generatedReply(form.pretty ? indented(text) : { ...text, tail: `${text.tail}\n` }, form, exchange);
}

async function generatedReply(text: JoinedText, { format }: ResponseForm, exchange: ListRequestState): Promise<Reply> {
  const body = await bufferOrGenerateBody(generateText(text), exchange.end, exchange.nextTimeSlice);
  return { status: 200, headers: { 'content-type': mediaTypes[format] }, body };
}

function textOf(list: ServedList, form: ResponseForm): JoinedText {
  const { transform, kind } = form;
  if (transform === undefined) return listText(kind, list);
  if (transform.kind !== 'Table') return partialMetadataListText(list, transform.version);
  const options = { version: transform.version, include: form.include, now: form.now() };
  const read = { characters: 0 };
  const rows = mapLazily(list.items, (item) => {
    read.characters += item.size ?? 0;
    return rowJson(kind, item, options);
  });
  return { ...tableText(listMetaJson(list), columnDefinitionsJson(kind), rows, options), read };
}

/** Indents a list item by item. The result equals `indentJson` of the whole list. The list must not be empty. */
function indented({ head, items, tail, ...options }: JoinedText): JoinedText {
  const around = indentJson(`${head}0${tail}`);
  const at = around.lastIndexOf(`${itemLine}0\n`);
  return {
    ...options,
    head: around.slice(0, at + itemLine.length),
    items: linesOf(items),
    separator: `,${itemLine}`,
    tail: around.slice(at + itemLine.length + 1),
  };
}

/** The line break and indentation before each item of an indented list. */
const itemLine = '\n    ';

function* linesOf(items: Iterable<string>): Generator<string> {
  for (const item of items) yield indentJson(item).replaceAll('\n', itemLine);
}

/** Returns a response with a Status, which is never converted to a Table or to partial metadata (rule NEG-16). */
export function statusReply(status: Status, code: number, form: ResponseForm): Reply {
  if (form.format === 'protobuf') return protobufReply(status, code, form);
  return renderReply(JSON.stringify(status), code, form);
}

/** The number of bytes of a list to encode as protobuf in one time slice, before other requests get the CPU. */
const protobufBytesPerSlice = 256 * 1024;

/**
 * Encodes a list as protobuf. The whole list is encoded before any of it is sent, because the encoding starts with the
 * length.
 */
async function protobufListReply(list: ServedList, form: ResponseForm, exchange: ListRequestState): Promise<Reply> {
  const { items, ...metadata } = list;
  const { kind, transform } = form;
  const type =
    transform === undefined
      ? { apiVersion: apiVersionOf(kind), kind: listKindOf(kind) }
      : { apiVersion: `meta.k8s.io/${transform.version}`, kind: 'PartialObjectMetadataList' };
  const writer = form.startProtobufList?.({ ...type, metadata });
  if (writer === undefined) throw noProtobufCodec();
  const work = new WorkBudget(protobufBytesPerSlice, exchange.nextTimeSlice);
  for (const item of items) {
    if (!work.spend(writer.add(protobufObject(item, transform)))) continue;
    await work.next();
    throwIfEnded(exchange.end);
  }
  return { status: 200, headers: { 'content-type': mediaTypes.protobuf }, body: inChunksIfLong(writer.finish()) };
}

function protobufReply(object: JsonObject, status: number, form: ResponseForm): Reply {
  const bytes = form.encodeProtobuf?.(object);
  if (bytes === undefined) throw noProtobufCodec();
  return { status, headers: { 'content-type': mediaTypes.protobuf }, body: bytes };
}

function noProtobufCodec(): TypeError {
  return new TypeError('the response was negotiated as protobuf, but the plane has no protobuf codec');
}
