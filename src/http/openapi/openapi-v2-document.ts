import { isJsonObject, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { servedGroups } from '../discovery/served-groups.ts';
import { type ApiDocument, documentFromJson } from '../documents/api-document.ts';
import { documentsPerTick, documentWork } from './group-version-documents.ts';
import { mergeGroupVersionKinds, swaggerDocument } from './v2.ts';
import { encodeSwaggerProtobuf } from './v2-protobuf.ts';
import { groupVersionDocument } from './v3.ts';

/** The number of characters to serialize per tick of the event loop. This takes some milliseconds. */
const charactersPerTick = 250_000;

/**
 * The maximum length of all definitions together, in characters of JSON. Further definitions contain no properties,
 * because the document is sent as a whole and is also encoded as protobuf. The documents of OpenAPI v3 contain all
 * properties.
 */
const maxDefinitionCharacters = 4_000_000;

/**
 * The OpenAPI v2 document of a set of kinds, created on first use. With thousands of kinds, this takes seconds, so the
 * document is created in parts, and other requests are served between two parts.
 */
export class OpenApiV2Document {
  readonly #resources: readonly MountedResource[];
  readonly #serverVersion: string;
  #made: Promise<ApiDocument> | undefined;
  #bytes: Uint8Array | undefined;

  constructor(resources: readonly MountedResource[], serverVersion: string) {
    this.#resources = resources;
    this.#serverVersion = serverVersion;
  }

  document(): Promise<ApiDocument> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  /** Returns the document encoded as protobuf. */
  async bytes(): Promise<Uint8Array> {
    const { json } = await this.document();
    this.#bytes ??= encodeSwaggerProtobuf(JSON.parse(json));
    return this.#bytes;
  }

  async #make(): Promise<ApiDocument> {
    const paths: string[] = [];
    const definitions = new Map<string, JsonObject>();
    const work = new WorkBudget(documentsPerTick);
    for (const served of servedGroups(this.#resources).flatMap((group) => group.versions)) {
      if (work.spend(documentWork(served))) await work.next();
      const document = groupVersionDocument(served, this.#serverVersion, 'v2');
      const part = swaggerDocument([document], this.#serverVersion);
      for (const [path, item] of members(part.paths)) paths.push(memberText(path, item));
      for (const [name, schema] of members(part.definitions)) {
        definitions.set(name, mergeGroupVersionKinds(definitions.get(name), schema as JsonObject));
      }
    }
    const texts: string[] = [];
    const writing = new WorkBudget(charactersPerTick);
    let characters = 0;
    for (const [name, schema] of definitions) {
      let text = memberText(name, schema);
      if (characters + text.length > maxDefinitionCharacters) text = memberText(name, withoutProperties(schema));
      characters += text.length;
      texts.push(text);
      if (writing.spend(text.length)) await writing.next();
    }
    const frame = swaggerDocument([], this.#serverVersion);
    const whole = Object.entries(frame).map(([name, member]) => {
      if (name === 'paths') return `"paths":{${paths.join()}}`;
      return name === 'definitions' ? `"definitions":{${texts.join()}}` : memberText(name, member);
    });
    return documentFromJson(`{${whole.join()}}`);
  }
}

function withoutProperties({ properties: _, ...schema }: JsonObject): JsonObject {
  return { ...schema, 'x-kubernetes-preserve-unknown-fields': true };
}

function memberText(name: string, value: JsonValue): string {
  return `${JSON.stringify(name)}:${writeJson(value, { sorted: false })}`;
}

function members(value: JsonValue | undefined): [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
