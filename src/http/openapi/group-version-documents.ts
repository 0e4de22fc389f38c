import type { JsonObject } from '@flotilla/json';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { type ServedVersion, servedGroups } from '../discovery/served-groups.ts';
import { type ApiDocument, jsonDocument } from '../documents/api-document.ts';
import type { PartialDocument, SharedDocuments } from '../documents/shared-documents.ts';
import { groupVersionDocument, singlePathDocument } from './v3.ts';

/** The number of documents to create per tick of the event loop. Creating one takes about a millisecond. */
export const documentsPerTick = 8;

/**
 * Returns the work for creating a document: 1 for a document of built-in kinds. The schemas of custom kinds may be
 * several megabytes, so their document counts as the work of a whole tick.
 */
export function documentWork({ resources }: ServedVersion): number {
  return resources.every(({ kind }) => kind.builtIn === true) ? 1 : documentsPerTick;
}

export interface GroupVersionDocumentsOptions {
  readonly resources: readonly MountedResource[];
  readonly serverVersion: string;
  readonly shared: SharedDocuments;
  /** The path of the OpenAPI index, relative to the plane's root. The paths of all documents are below this path. */
  readonly root: string;
}

/**
 * The OpenAPI v3 documents of a set of kinds, one per group version, each created on first use. A change to a
 * CustomResourceDefinition affects only the document of its group version.
 */
export class GroupVersionDocuments {
  readonly #options: GroupVersionDocumentsOptions;
  readonly #parts = new Map<string, () => PartialDocument>();
  /** The work for each document that takes more work than the default. */
  readonly #work = new Map<string, number>();
  #index: Promise<ApiDocument> | undefined;

  constructor(options: GroupVersionDocumentsOptions) {
    this.#options = options;
    const { resources, serverVersion, shared } = options;
    const add = (path: string, description: string) => {
      const make = () => jsonDocument(singlePathDocument(`/${path}/`, description, serverVersion));
      this.#parts.set(path, () => shared.partialDocument(`v3 ${path} ${serverVersion}`, [], make));
    };
    const groups = servedGroups(resources);
    if (groups.some(({ name }) => name === '')) add('api', 'get available API versions');
    add('apis', 'get available API groups');
    for (const { name, versions } of groups) {
      if (name !== '') add(`apis/${name}`, 'get information of a group');
      for (const served of versions) {
        const path = name === '' ? `api/${served.version}` : `apis/${name}/${served.version}`;
        const make = () => jsonDocument(groupVersionDocument(served, serverVersion));
        this.#parts.set(path, () => shared.partialDocument(`v3 ${path} ${serverVersion}`, served.resources, make));
        this.#work.set(path, documentWork(served));
      }
    }
    add('version', 'get the version information for this server');
  }

  get paths(): string[] {
    return [...this.#parts.keys()];
  }

  find(path: string): ApiDocument | undefined {
    return this.#parts.get(path)?.().document();
  }

  /** Returns the list of all documents with their hashes. The first call creates every document, in several ticks. */
  index(): Promise<ApiDocument> {
    this.#index ??= this.#makeIndex().catch((error: unknown) => {
      this.#index = undefined;
      throw error;
    });
    return this.#index;
  }

  async #makeIndex(): Promise<ApiDocument> {
    const paths: JsonObject = {};
    const work = new WorkBudget(documentsPerTick);
    for (const [path, part] of this.#parts) {
      if (work.spend(this.#work.get(path) ?? 1)) await work.next();
      paths[path] = { serverRelativeURL: `${this.#options.root}/${path}?hash=${part().hash}` };
    }
    return jsonDocument({ paths });
  }
}
