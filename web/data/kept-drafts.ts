import type { KubeObject } from '../../src/api/meta.ts';

/**
 * What was typed and not saved, by the object's address, for as long as the page is loaded: whoever looks at something
 * else meanwhile finds it again. Nowhere but in memory.
 */
const drafts = new Map<string, { readonly base: KubeObject; readonly text: string }>();

const most = 20;

export const keptDrafts = {
  get: (url: string) => drafts.get(url),
  keep(url: string, draft: { readonly base: KubeObject; readonly text: string }): void {
    drafts.delete(url);
    drafts.set(url, draft);
    for (const oldest of drafts.keys()) {
      if (drafts.size <= most) break;
      drafts.delete(oldest);
    }
  },
  forget(url: string): void {
    drafts.delete(url);
  },
};
