import type { KubeObject } from '../../../src/api/meta.ts';

/**
 * Unsaved drafts by object URL. Users who leave a page and return find their changes again. The drafts are kept only in
 * memory, until the browser tab is closed.
 */
const drafts = new Map<string, { readonly base: KubeObject; readonly text: string }>();

const maxDrafts = 20;

export const unsavedDrafts = {
  get: (url: string) => drafts.get(url),
  keep(url: string, draft: { readonly base: KubeObject; readonly text: string }): void {
    drafts.delete(url);
    drafts.set(url, draft);
    for (const oldest of drafts.keys()) {
      if (drafts.size <= maxDrafts) break;
      drafts.delete(oldest);
    }
  },
  forget(url: string): void {
    drafts.delete(url);
  },
};
