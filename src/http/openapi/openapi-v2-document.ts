import { isJsonObject, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { servedGroups } from '../discovery/served-groups.ts';
import { type ApiDocument, documentFromJson } from '../documents/api-document.ts';
import { documentsPerTick } from './group-version-documents.ts';
import { mergeGroupVersionKinds, swaggerDocument } from './v2.ts';
import { encodeSwaggerProtobuf } from './v2-protobuf.ts';
import { groupVersionDocument } from './v3.ts';

/** The number of definitions to serialize per tick of the event loop. */
const definitionsPerTick = 64;

/**
 * The OpenAPI v2 document of a set of kinds, created on first use. With thousands of kinds, this takes seconds.
 * Therefore, it is created in parts, and other requests are served in between.
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
      if (work.spend(1)) await work.next();
      const part = swaggerDocument([groupVersionDocument(served, this.#serverVersion)], this.#serverVersion);
      for (const [path, item] of members(part.paths)) paths.push(memberText(path, item));
      for (const [name, schema] of members(part.definitions)) {
        definitions.set(name, mergeGroupVersionKinds(definitions.get(name), schema as JsonObject));
      }
    }
    const texts: string[] = [];
    const writing = new WorkBudget(definitionsPerTick);
    for (const [name, schema] of definitions) {
      if (writing.spend(1)) await writing.next();
      texts.push(memberText(name, schema));
    }
    const frame = swaggerDocument([], this.#serverVersion);
    const whole = Object.entries(frame).map(([name, member]) => {
      if (name === 'paths') return `"paths":{${paths.join()}}`;
      return name === 'definitions' ? `"definitions":{${texts.join()}}` : memberText(name, member);
    });
    return documentFromJson(`{${whole.join()}}`);
  }
}

function memberText(name: string, value: JsonValue): string {
  return `${JSON.stringify(name)}:${writeJson(value, { sorted: false })}`;
}

function members(value: JsonValue | undefined): [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
